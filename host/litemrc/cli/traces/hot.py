"""`litemrc hot TRACE`: the hottest pages of each epoch; Ctrl-C keeps the epochs so far."""

import argparse
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import natural, positive
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import add_input_arguments, opened
from litemrc.cli.traces.contexts import add_context_argument, contexts_noted, no_references
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.native.hot_pages import ExactHotPages, HotEpoch, HotOptions
    from litemrc.traces.chunk import Chunk

_SHOWN = 8  # pages of an epoch in the table
_EPILOG = """\
The counting unit is that of the hardware, the C++ of hls/hot_pages: a table of 2,048 entries in 512 sets,
whatever the memory's size. Counts are lower bounds: a page is never said to have more accesses than it had.
A page is hot from --threshold accesses on, and from 1/4,096 of the epoch's accesses on, because the table
cannot tell pages below that apart. Where no page is hot, as in a scan of a large memory, an epoch lists none.

--exact also counts every page in a counter of its own, and gives the recall: the share of the exactly
hottest pages that the unit lists. --sample counts 1 access of 2^N, at random; counts are those of the sampled
accesses.

--json prints one object: {"epochs": [{"pages": [[page, count], ...], "accesses": n, "more": false,
"saturated": false}], "engine": {...}, "interrupted": false}, pages with the largest counts first. "more":
more pages were hot than --k. "saturated": a count reached 1,048,575. --exact adds "exact", a list like
"pages", and "recall", which is null if no page is hot. Epochs are printed as they end.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc hot`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_input_arguments(parser)
    parser.add_argument("--k", metavar="K", type=positive, default=64, help="pages listed, 1 to 1024 (64)")
    parser.add_argument(
        "--epoch", metavar="N", type=positive, default=1_000_000, help="references of an epoch (1000000)"
    )
    parser.add_argument(
        "--frames",
        metavar="F",
        type=positive,
        default=1 << 20,
        help="page frames of the memory: 8192, 65536, 262144 or 1048576 (1048576)",
    )
    parser.add_argument(
        "--threshold", metavar="N", type=positive, default=2, help="accesses that make a page hot (2)"
    )
    parser.add_argument("--only", choices=("reads", "writes"), help="count these accesses alone")
    parser.add_argument(
        "--sample", metavar="N", type=natural, default=0, help="count 1 access of 2^N, 0 to 15 (0)"
    )
    add_context_argument(parser)
    parser.add_argument("--exact", action="store_true", help="the exact counts beside those of the unit")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc hot`."""
    # Imported here: they load numpy.
    from litemrc.api.hot import hot_epochs
    from litemrc.native.hot_pages import ExactHotPages, HotCounter, HotOptions, HotPages

    options = HotOptions(args.k, args.threshold, args.only != "writes", args.only != "reads", args.sample)
    exact = ExactHotPages(options) if args.exact else None
    counters: list[HotCounter] = [HotPages(args.frames, options), *([exact] if exact else [])]
    stopped: KeyboardInterrupt | None = None
    epochs = 0
    lines = _Json(options, args.frames) if args.json else _Table()
    with opened(args) as trace:
        chunks = shown(trace, "counting")
        with closing(chunks):
            try:
                for counted in hot_epochs(_checked(chunks, args), counters, args.epoch, args.context):
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
            yield f"{'epoch':>5} {'accesses':>12} {'hot pages':>10} {'share':>7}   page:count, largest first"
        yield self._line(f"{self._number:>5} {epoch.accesses:>12,}", epoch)
        if exact and true:
            share = _recall(epoch, true, exact)
            said = "none is hot" if share is None else f"recall {share:.3f}"
            yield self._line(f"{'exact':>5} {said:>12}", true)
        self._number += 1

    @staticmethod
    def _line(head: str, epoch: "HotEpoch") -> str:
        count = f"{epoch.pages.size:,}{'+' if epoch.more else ''}"
        share = int(epoch.counts.sum()) / epoch.accesses if epoch.accesses else 0.0
        pairs = zip(epoch.pages[:_SHOWN].tolist(), epoch.counts[:_SHOWN].tolist(), strict=True)
        pages = " ".join(f"{page}:{count}" for page, count in pairs) or "none is hot"
        dots = " ..." if epoch.pages.size > _SHOWN else ""
        return f"{head} {count:>10} {share:>7.1%}   {pages}{dots}{' (saturated)' if epoch.saturated else ''}"

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
