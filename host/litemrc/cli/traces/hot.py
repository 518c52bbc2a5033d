"""`litemrc hot`: the hottest pages of each epoch of a trace or a device; Ctrl-C keeps the epochs so far."""

import argparse
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import natural, positive
from litemrc.cli.shared.device_options import add_port_arguments, add_run_argument
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.plain_text import HEADER, hot_line
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import (
    add_context_argument,
    add_input_arguments,
    contexts_noted,
    no_references,
    opened,
)
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.native.hot_pages import ExactHotPages, HotEpoch, HotOptions
    from litemrc.traces.chunk import Chunk

# Arguments of traces, and of devices, with their options.
_OF_TRACES = {name: f"--{name}" for name in ("epoch", "frames", "context", "exact", "format")} | {
    "columns": "--column",
    "page_size": "--page-size",
}
_OF_DEVICES = {"epochs": "--epochs", "runs": "--run", "take": "--take"}
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
    if args.port:
        from litemrc.cli.device.hot_live import watch  # loads the device layer

        return watch(args)
    return _count(args)


def _count(args: argparse.Namespace) -> int:
    """List the hot pages of a trace."""
    # Imported here: they load numpy.
    from litemrc.api.hot import hot_epochs
    from litemrc.native.hot_pages import ExactHotPages, HotCounter, HotOptions, HotPages

    given = (
        default if value is None else value
        for value, default in ((args.k, 64), (args.threshold, 2), (args.sample, 0))
    )
    wanted, threshold, sampling = given
    options = HotOptions(wanted, threshold, args.only != "writes", args.only != "reads", sampling)
    frames, length = args.frames or 1 << 20, args.epoch or 1_000_000
    exact = ExactHotPages(options) if args.exact else None
    counters: list[HotCounter] = [HotPages(frames, options), *([exact] if exact else [])]
    stopped: KeyboardInterrupt | None = None
    epochs = 0
    lines = _Json(options, frames) if args.json else _Table()
    with opened(args) as trace:
        chunks = shown(trace, "counting")
        with closing(chunks):
            try:
                for counted in hot_epochs(_checked(chunks, args), counters, length, args.context):
                    for line in lines.epoch(*counted, exact=exact):
                        print(line, flush=True)
                    epochs += 1
            except KeyboardInterrupt as error:
                stopped = error
        notes = trace.notes
    if not epochs and not stopped:
        raise no_references(args)
    for line in lines.end(interrupted=stopped is not None):
        print(line, flush=True)
    for text in notes:
        note(text)
    if stopped:
        warning("interrupted: the running epoch is not listed")
        raise stopped
    return 0


def _checked(chunks: "Iterable[Chunk]", args: argparse.Namespace) -> "Iterator[Chunk]":
    """Yield the chunks; say what would be counted together, or cannot be counted."""
    for chunk in contexts_noted(chunks, args):
        if args.only and chunk.writes is None:
            raise UserError(
                "the trace does not say which references are writes", where=args.trace, remedy="omit --only"
            )
        yield chunk


class _Table:
    """A line for each epoch, and one for its exact counts."""

    def __init__(self) -> None:
        self._number = 0

    def epoch(
        self, epoch: "HotEpoch", true: "HotEpoch | None" = None, *, exact: "ExactHotPages | None"
    ) -> Iterator[str]:
        if not self._number:
            yield HEADER
        yield self._line(f"{self._number:>5} {epoch.accesses:>12,}", epoch)
        if exact and true:
            share = _recall(epoch, true, exact)
            said = "none is hot" if share is None else f"recall {share:.3f}"
            yield self._line(f"{'exact':>5} {said:>12}", true)
        self._number += 1

    @staticmethod
    def _line(head: str, epoch: "HotEpoch") -> str:
        flags = {"more": epoch.more, "saturated": epoch.saturated}
        return hot_line(head, epoch.accesses, epoch.pages.tolist(), epoch.counts.tolist(), **flags)

    def end(self, *, interrupted: bool) -> Iterator[str]:
        yield "+: more pages were hot than --k; share: of the epoch's accesses, those to all listed pages"


class _Json:
    """One object, in parts."""

    def __init__(self, options: "HotOptions", frames: int) -> None:
        from litemrc.native.hot_pages import SETS, SHARE_LOG2, WAYS

        self._engine = {
            "unit": "hot_pages",
            "frames": frames,
            "sets": SETS,
            "ways": WAYS,
            "k": options.wanted,
            "threshold": options.threshold,
            "hot_share": 1 / (1 << SHARE_LOG2),
            "reads": options.reads,
            "writes": options.writes,
            "sampling": 1 << options.sampling_log2,
        }
        self._before = '{"epochs": ['

    def epoch(
        self, epoch: "HotEpoch", true: "HotEpoch | None" = None, *, exact: "ExactHotPages | None"
    ) -> Iterator[str]:
        facts: dict[str, Any] = {
            "pages": _pairs(epoch),
            "accesses": epoch.accesses,
            "more": epoch.more,
            "saturated": epoch.saturated,
        }
        if exact and true:
            facts |= {"exact": _pairs(true), "recall": _recall(epoch, true, exact)}
        yield self._before + json.dumps(facts)
        self._before = ","

    def end(self, *, interrupted: bool) -> Iterator[str]:
        start = "" if self._before == "," else self._before
        yield f'{start}], "engine": {json.dumps(self._engine)}, "interrupted": {json.dumps(interrupted)}}}'


def _pairs(epoch: "HotEpoch") -> list[list[int]]:
    return [list(pair) for pair in zip(epoch.pages.tolist(), epoch.counts.tolist(), strict=True)]


def _recall(epoch: "HotEpoch", true: "HotEpoch", exact: "ExactHotPages") -> float | None:
    from litemrc.native.hot_pages import recall

    return recall(epoch, true, exact.counts_of(epoch.pages))
