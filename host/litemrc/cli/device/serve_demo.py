# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc serve --demo`: the simulated SoC as the device, with programs running and the page opened."""

import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from litemrc.cli.shared.device_options import end_on_sigterm
from litemrc.cli.shared.messages import note
from litemrc.device.running import Run
from litemrc.device.simulation.simulator import Simulator
from litemrc.errors import UserError
from litemrc.feed.feed import Feed
from litemrc.feed.programs import Programs

DEMO = "demo"  # name of the device
EPOCH_ACCESSES = 10_000  # one to two epochs a second
TIMEOUT_S = 60.0  # of a request: the simulated SoC is thousands of times slower than a board
_CONNECTED_S = 0.2  # from one look at the link to the next
_PROGRAMS = ("zipf", "loop", "phases", "chase", "matmul")


def demo_runs() -> list[Run]:
    """Return the programs of `make demo`."""
    return [Run(name) for name in _PROGRAMS]


@contextmanager
def simulated_soc(sim: Path, firmware: Path) -> Iterator[str]:
    """Run the simulated SoC in a folder of its own; yield the URL of its link.

    Raises
    ------
    UserError
        it was not built; the remedy says how.
    """
    end_on_sigterm()
    with (
        tempfile.TemporaryDirectory(prefix="litemrc-") as folder,
        Simulator(sim, firmware, Path(folder)) as simulator,
    ):
        note("starting the simulated SoC; Ctrl-C ends it")
        simulator.wait_ready()
        yield simulator.url


def run_over_and_over(feed: Feed, runs: Sequence[Run], say: Callable[[str], None]) -> None:
    """Start programs as soon as a session runs, and again when the last one has ended; return at once.

    Parameters
    ----------
    feed
        not yet started.
    say
        called with what a user should know, such as that the device has no such program.
    """
    programs = Programs(lambda: feed, lambda text, wrong: say(text) if wrong else None, repeat=True)
    feed.listen(programs)

    def begin() -> None:
        while not feed.connected:
            threading.Event().wait(_CONNECTED_S)
        try:
            programs.start(runs).result()
        except UserError as error:
            say(f"no program runs: {error}")

    threading.Thread(target=begin, name="programs", daemon=True).start()


def open_page(url: str) -> None:
    """Open the page where there is a display; on a terminal a text browser would take the screen."""
    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
