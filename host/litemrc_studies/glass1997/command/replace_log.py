"""`litemrc replace --log` and `--plot-faults`; pyarrow and matplotlib, slow to load, only if used."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path

from litemrc_studies.glass1997.machine.fault_log import LOG_SUFFIXES
from litemrc_studies.glass1997.machine.memories import Replay
from litemrc_studies.glass1997.policies import OnlinePolicy, Opt, Policy


def check_log(args: argparse.Namespace) -> None:
    """Check, before the trace is read, that the log can be written.

    Raises:
        UserError: another suffix, a path that cannot be written, or --global is given.
    """
    if args.log:
        check_output_path(args.log, LOG_SUFFIXES)
    if args.together and _asked(args):
        raise UserError(
            f"{_asked(args)} does not support --global", remedy="give one trace, without --global"
        )


def logged_memory(
    args: argparse.Namespace, policies: Sequence[Policy], sizes: Sequence[int]
) -> tuple[OnlinePolicy, int] | None:
    """Return policy and size of the memory to be logged; None: no log is requested.

    Raises:
        UserError: a log is requested, and there are several memories, or their policy is OPT.
    """
    if not _asked(args):
        return None
    if len(policies) > 1 or len(sizes) > 1:
        raise UserError(
            f"{_asked(args)} needs one memory, but {len(policies)} policies and {len(sizes)} sizes are given",
            remedy="give one --policy and one size of --memory, such as --policy seq --memory 550",
        )
    if isinstance(policies[0], Opt):
        raise UserError(f"{_asked(args)} does not support opt", remedy="give another --policy")
    return policies[0], sizes[0]


def write_log(args: argparse.Namespace, result: Replay, page_bytes: int) -> None:
    """Write the file and draw the picture that `args` requests."""
    if result.log is None:
        return
    (count,) = result.counts
    if args.log:
        from litemrc_studies.glass1997.machine.fault_file import write_fault_log

        write_fault_log(
            args.log,
            result.log,
            policy=count.policy.name,
            memory_pages=count.memory_pages,
            page_bytes=page_bytes,
            time_unit=result.time_unit,
        )
    if args.plot_faults:
        from litemrc.plots.files import save_figure

        from litemrc_studies.glass1997.plots.faults import faults_figure

        figure = faults_figure(
            result.log,
            memory_pages=count.memory_pages,
            page_bytes=page_bytes,
            time_unit=result.time_unit,
            title=f"{Path(args.traces[0]).name}, {count.policy.name}",
        )
        save_figure(figure, args.plot_faults)


def _asked(args: argparse.Namespace) -> str:
    return "--log" if args.log else "--plot-faults" if args.plot_faults else ""
