# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc hot`: the hottest pages of each epoch of a trace or a device; Ctrl-C keeps the epochs so far."""

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import natural, positive
from litemrc.cli.shared.device_options import add_port_arguments, add_run_argument
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.plain_text import HEADER, hot_line
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import add_context_argument, add_input_arguments, contexts_noted, opened
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.api.hot import HotCount, HotCounting
    from litemrc.native.hot_pages import HotEpoch

# Arguments of traces, and of devices, with their options.
_OF_TRACES = {name: f"--{name}" for name in ("epoch", "frames", "context", "exact", "format")} | {
    "columns": "--column",
    "page_size": "--page-size",
}
_OF_DEVICES = {"epochs": "--epochs", "runs": "--run", "take": "--take"}
_OF_DEVICES |= {"rows": "--rows", "window": "--window"}
_EPILOG = """\
The counting unit is that of the hardware, the C++ of hls/hot_pages: a table of 2,048 entries in 512 sets,
whatever the memory's size. Counts are lower bounds: a page is never said to have more accesses than it had.
A page is hot from --threshold accesses on, and from 1/4,096 of the epoch's accesses on, because the table
cannot tell pages below that apart. Where no page is hot, as in a scan of a large memory, an epoch lists none.

--exact also counts every page in a counter of its own, and gives the recall: the share of the exactly
hottest pages that the unit lists. --sample counts 1 access of 2^N, at random; counts are those of the sampled
accesses.

With --port, the hot pages of a device are shown, as each epoch ends, until Ctrl-C, for --epochs, or while
the programs of --run last: on a terminal a table of the hottest, else a line per epoch. Hot pages are turned
on; --k, --threshold, --only and --sample are set on the device if they are given. A setting that changes
invalidates every page and restarts the running epoch (litemrc device shows all settings). --json prints an
object per line, with "epoch", "pages", "accesses", "more" and "saturated". Pages are page frames of the
memory.

--rows lists the rows of the DRAM with the most ACTIVATEs instead: the number that rowhammer is about. An
epoch is then a refresh window, --window (64 ms); the time between two refreshes of a row can overlap two
epochs. Rows are shown by their addresses; JSON has "rows", "row_bytes" and "activates". Hot pages and the
length of epochs are as before at the end; a device whose epochs had no length keeps the window's.

Of a trace, --json prints one object: {"epochs": [{"pages": [[page, count], ...], "accesses": n, "more":
false, "saturated": false}], "engine": {...}, "interrupted": false}, the largest counts first. "more":
more pages were hot than --k. "saturated": a count reached 1,048,575. --exact adds "exact", a list like
"pages", and "recall", which is null if no page is hot. Epochs are printed as they end.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc hot`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_input_arguments(parser, required=False)
    parser.add_argument("--k", metavar="K", type=positive, help="pages listed, 1 to 1024 (64)")
    parser.add_argument("--threshold", metavar="N", type=positive, help="accesses that make a page hot (2)")
    parser.add_argument("--only", choices=("reads", "writes"), help="count these accesses alone")
    parser.add_argument("--sample", metavar="N", type=natural, help="count 1 access of 2^N, 0 to 15 (0)")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    traces = parser.add_argument_group("traces")
    traces.add_argument("--epoch", metavar="N", type=positive, help="references of an epoch (1000000)")
    traces.add_argument(
        "--frames",
        metavar="F",
        type=positive,
        help="page frames of the memory: 8192, 65536, 262144 or 1048576 (1048576)",
    )
    add_context_argument(traces)
    traces.add_argument("--exact", action="store_true", help="the exact counts beside those of the unit")
    devices = parser.add_argument_group("devices")
    add_port_arguments(devices, required=False)
    add_run_argument(devices, "run a program on the device, and end with the last one")
    devices.add_argument("--epochs", metavar="N", type=positive, help="end after N epochs")
    devices.add_argument("--rows", action="store_true", help="rows of the DRAM by ACTIVATEs, not pages")
    devices.add_argument("--window", metavar="MS", type=positive, help="epoch of --rows in ms (64)")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc hot`."""
    if (args.trace is None) == (args.port is None):
        raise UserError(
            "a trace and a device" if args.trace else "neither a trace nor a device",
            remedy="name a trace, or a device by --port",
        )
    kind, others = ("traces", _OF_TRACES) if args.port else ("devices", _OF_DEVICES)
    for name, option in others.items():
        if getattr(args, name) not in (None, []) and getattr(args, name) is not False:
            raise UserError(f"{option} is for {kind}", where=args.port or args.trace, remedy=f"omit {option}")
    if args.window and not args.rows:
        raise UserError("--window is for --rows", where=args.port, remedy="omit --window")
    if args.rows and (args.only or args.sample is not None):
        raise UserError("--rows counts every ACTIVATE", where=args.port, remedy="omit --only and --sample")
    if args.port and args.rows:
        from litemrc.cli.device.hot_rows import watch_rows

        return watch_rows(args)
    if args.port:
        from litemrc.cli.device.hot_live import watch  # loads the device layer

        return watch(args)
    return _count(args)


def _count(args: argparse.Namespace) -> int:
    """List the hot pages of a trace."""
    # Imported here: they load numpy.
    from litemrc.api.epochs import no_references
    from litemrc.api.hot import EPOCH, FRAMES, HotCounting
    from litemrc.native.hot_pages import HotOptions

    given = (
        default if value is None else value
        for value, default in ((args.k, 64), (args.threshold, 2), (args.sample, 0))
    )
    wanted, threshold, sampling = given
    options = HotOptions(wanted, threshold, args.only != "writes", args.only != "reads", sampling)
    counting = HotCounting(options, args.frames or FRAMES, exact=args.exact)
    stopped: KeyboardInterrupt | None = None
    epochs = 0
    lines = _Json(counting) if args.json else _Table()
    with opened(args) as trace:
        chunks = shown(trace, "counting")
        with closing(chunks):
            try:
                noted = contexts_noted(chunks, args)
                length = args.epoch or EPOCH
                for counted in counting.epochs(noted, length, args.context, args.trace, "omit --only"):
                    for line in lines.epoch(counted):
                        print(line, flush=True)
                    epochs += 1
            except KeyboardInterrupt as error:
                stopped = error
        notes = trace.notes
    if not epochs and not stopped:
        raise no_references(args.context, args.trace)
    for line in lines.end(interrupted=stopped is not None):
        print(line, flush=True)
    for text in notes:
        note(text)
    if stopped:
        warning("interrupted: the running epoch is not listed")
        raise stopped
    return 0


class _Table:
    """A line for each epoch, and one for its exact counts."""

    def __init__(self) -> None:
        self._number = 0

    def epoch(self, counted: "HotCount") -> Iterator[str]:
        if not self._number:
            yield HEADER
        yield self._line(f"{self._number:>5} {counted.unit.accesses:>12,}", counted.unit)
        if counted.exact:
            said = "none is hot" if counted.recall is None else f"recall {counted.recall:.3f}"
            yield self._line(f"{'exact':>5} {said:>12}", counted.exact)
        self._number += 1

    @staticmethod
    def _line(head: str, epoch: "HotEpoch") -> str:
        flags = {"more": epoch.more, "saturated": epoch.saturated}
        return hot_line(head, epoch.accesses, epoch.pages.tolist(), epoch.counts.tolist(), **flags)

    def end(self, *, interrupted: bool) -> Iterator[str]:
        yield "+: more pages were hot than --k; share: of the epoch's accesses, those to all listed pages"


class _Json:
    """One object, in parts."""

    def __init__(self, counting: "HotCounting") -> None:
        self._engine = counting.document()
        self._before = '{"epochs": ['

    def epoch(self, counted: "HotCount") -> Iterator[str]:
        yield self._before + json.dumps(counted.document())
        self._before = ","

    def end(self, *, interrupted: bool) -> Iterator[str]:
        start = "" if self._before == "," else self._before
        yield f'{start}], "engine": {json.dumps(self._engine)}, "interrupted": {json.dumps(interrupted)}}}'
