"""Runs points with progress: how many are done, how many a second, and how long the others will take."""

import time
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from litemrc.cli.shared.progress import reported

from litemrc_studies.sweeps.command.machines import run_point
from litemrc_studies.sweeps.journal import Journal
from litemrc_studies.sweeps.point import Point
from litemrc_studies.sweeps.runner import Runner

if TYPE_CHECKING:
    from distributed import Client


def run_shown(
    client: "Client", machine: str, waiting: Sequence[tuple[str, Point]], journal: Journal, *, total: int
) -> None:
    """Run the points that wait, and append their outcomes to the journal as they come.

    Parameters:
        total: points of the sweep, with those that were finished before.

    Raises:
        UserError: the scheduler is lost, a worker has another LiteMRC, or the journal cannot be written.
    """
    runner = Runner(client, machine, partial(run_point, machine), waiting)
    began, done, failed = time.monotonic(), 0, 0

    def state() -> tuple[str, float]:
        finished = total - len(waiting) + done
        text = f"{finished:,} of {total:,} points"
        if done:
            rate = done / (time.monotonic() - began)
            left = timedelta(seconds=round((len(waiting) - done) / rate))
            text += f", {rate:,.3g} a second, {left} left"
        elif not runner.threads:
            text += ", waiting for workers"
        return text + (f", {failed:,} failed" if failed else ""), finished / total

    with closing(runner.outcomes()) as outcomes, closing(reported(outcomes, machine, state)) as shown:
        for some in shown:
            journal.append(some)
            done += len(some)
            failed += sum(bool(outcome.error) for outcome in some)
