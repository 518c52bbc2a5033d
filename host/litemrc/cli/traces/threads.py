"""`litemrc trace threads --out FILE PROGRAM.c -- ARGUMENT ...`: which thread of a program reads and writes
what."""

import argparse
import shlex
import sys
from contextlib import closing
from pathlib import Path

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import reported
from litemrc.cli.traces.arguments import size
from litemrc.errors import UserError
from litemrc.traces.recorder.recording import TURN, Recording
from litemrc.traces.shared import create_shared_trace
from litemrc.traces.shared.chunk import PAGE_BYTES

_EPILOG = """\
The C files are compiled with gcc -fsanitize=thread and linked with a runtime of our own, which writes each
access down and lets threads take turns: the same program makes the same trace. Processors are threads in the
order of their creation, the program's own is 0; `litemrc simulate numa` reads the trace.

Seen: static data and heap, also through memcpy, memmove and memset, mutexes, barriers, atomic operations. Not
seen: stacks, registers, what libraries do. Threads may wait by mutexes, conditions, barriers and joins, and
by looking at memory again and again.

  litemrc trace threads --out ocean.parquet scenarios/threads/ocean.c -- 64 6
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace threads`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="file to write, as below")
    parser.add_argument(
        "--page", metavar="SIZE", type=size, default=PAGE_BYTES, help="pages that the file numbers (1k)"
    )
    parser.add_argument(
        "--turn", metavar="N", type=positive, default=TURN, help="references of a thread's turn (%(default)s)"
    )
    parser.add_argument(
        "words",
        metavar="PROGRAM.c [-- ARGUMENT]",
        nargs="+",
        help="the program's C files, then its arguments",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace threads`."""
    sources, arguments = _parted(args.words)
    recording = Recording(sources, arguments, args.turn)
    origin = shlex.join([*map(str, sources), "--", *arguments])

    def told() -> tuple[str, None]:
        return f"{recording.references:,} references", None

    with (
        create_shared_trace(args.out, args.page, origin, recording.time_unit) as writer,
        closing(recording.chunks()) as recorded,
        closing(reported(recorded, "recording", told)) as chunks,
    ):
        for chunk in chunks:
            writer.write(chunk)
    print(f"{told()[0]} saved in {args.out}", file=sys.stderr)
    return 0


def _parted(words: list[str]) -> tuple[list[Path], list[str]]:
    """The C files in front, and the program's arguments behind them."""
    count = next((at for at, word in enumerate(words) if not word.endswith(".c")), len(words))
    if not count:
        raise UserError("no C file in front", where=words[0], remedy="name the program's files, FILE.c")
    return [Path(word) for word in words[:count]], words[count:]
