# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace threads --out FILE PROGRAM.c -- ARGUMENT ...`: the memory references of each thread."""

import argparse
import shlex
import sys
from contextlib import closing
from pathlib import Path

from litemrc.cli.shared.arguments import add_out_argument, add_page_size_argument, positive
from litemrc.cli.shared.progress import reported
from litemrc.errors import UserError
from litemrc.traces.recorder.recording import TURN, Recording
from litemrc.traces.shared import create_shared_trace
from litemrc.traces.shared.chunk import PAGE_BYTES

_EPILOG = """\
The C files are compiled with gcc -fsanitize=thread and linked with a runtime of LiteMRC, which records each
access and runs the threads in turns: a program always produces the same trace. Processors are threads in the
order of their creation; the main thread is 0. `litemrc simulate numa` reads the trace.

Recorded: static data and heap, also through memcpy, memmove and memset, mutexes, barriers, atomic operations.
Not recorded: stacks, registers, accesses in libraries. Threads may wait by mutexes, conditions, barriers and
joins, and by polling memory.

  litemrc trace threads --out ocean.parquet host/litemrc_studies/shared/threads/ocean.c -- 64 6
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace threads`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_out_argument(parser, "file to write")
    add_page_size_argument(parser, "1k")
    parser.add_argument(
        "--turn", metavar="N", type=positive, default=TURN, help="references in a thread's turn (%(default)s)"
    )
    parser.add_argument(
        "words",
        metavar="PROGRAM.c [-- ARGUMENT]",
        nargs="+",
        help="the program's C files, then its arguments",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace threads`."""
    sources, arguments = _split(args.words)
    recording = Recording(sources, arguments, args.turn)
    origin = shlex.join([*map(str, sources), "--", *arguments])

    def state() -> tuple[str, None]:
        return f"{recording.references:,} references", None

    with (
        create_shared_trace(args.out, args.page_size or PAGE_BYTES, origin, recording.time_unit) as writer,
        closing(recording.chunks()) as recorded,
        closing(reported(recorded, "recording", state)) as chunks,
    ):
        for chunk in chunks:
            writer.write(chunk)
    print(f"{state()[0]} saved in {args.out}", file=sys.stderr)
    return 0


def _split(words: list[str]) -> tuple[list[Path], list[str]]:
    """Split the words into the leading C files and the arguments of the program."""
    count = next((at for at, word in enumerate(words) if not word.endswith(".c")), len(words))
    if not count:
        raise UserError(
            "the first word is not a C file",
            where=words[0],
            remedy="give the files of the program first, FILE.c",
        )
    return [Path(word) for word in words[:count]], words[count:]
