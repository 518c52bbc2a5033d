# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace shared SOURCE --out FILE`: store a shared-memory trace, generated or in another format."""

import argparse
from contextlib import closing

from litemrc.cli.shared.arguments import add_out_argument, add_page_size_argument
from litemrc.cli.shared.progress import reported
from litemrc.traces.generators.parallel import PAPER_REFERENCES, PARALLEL_PROGRAMS
from litemrc.traces.shared import create_shared_trace, open_shared_trace
from litemrc.traces.shared.chunk import PAGE_BYTES
from litemrc.traces.shared.generated import described, shared_parameters


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace shared`."""
    lines = [
        "SOURCE and FILE: .txt (also .gz, .zst or .xz), a line `# page_bytes N`, then lines",
        "`time processor page word r|w`; or .parquet, with columns of these names. SOURCE may also be a URL",
        "gen:PROGRAM?NAME=VALUE&...:",
    ]
    for name in PARALLEL_PROGRAMS:
        defaults = {"n": PAPER_REFERENCES[name], "seed": 1, **shared_parameters(name)}
        lines += [f"  {name} {' '.join(f'{key}={value}' for key, value in defaults.items())}"]
        lines += [described(name)]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(lines)
    parser.add_argument("source", metavar="SOURCE", help="file or URL, see below")
    add_out_argument(parser, "file to write")
    add_page_size_argument(parser, "1k")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace shared`."""
    references = 0

    def state() -> tuple[str, float | None]:
        return f"{references:,} references", trace.fraction

    with open_shared_trace(args.source) as trace:
        origin = trace.origin or str(args.source)
        with (
            create_shared_trace(args.out, args.page_size or PAGE_BYTES, origin, trace.time_unit) as writer,
            closing(reported(trace, "storing", state)) as chunks,
        ):
            for chunk in chunks:
                writer.write(chunk)
                references += len(chunk)
    print(f"{references:,} references of {args.source} written to {args.out}")
    return 0
