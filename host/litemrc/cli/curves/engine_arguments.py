# SPDX-License-Identifier: BSD-2-Clause
"""The arguments of commands that measure traces: the engine, and the cluster that it runs on."""

import argparse

from litemrc.cli.shared.arguments import positive
from litemrc.errors import UserError
from litemrc.native.stack_engines import STACK_ENGINES

# As `litemrc.native.engines`, which takes long to load.
ENGINES = ("exact", *STACK_ENGINES, "shards", "os")
OF_HARDWARE = ", ".join(STACK_ENGINES)

_MOST_PARTS = 1 << 16  # tasks that a scheduler holds


def _parts(text: str) -> int:
    return positive(text, _MOST_PARTS + 1)


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the engine that measures traces, and its parameters."""
    parser.add_argument("--engine", choices=ENGINES, default="exact", help="see below (%(default)s)")
    parser.add_argument(
        "--by",
        choices=("pages", "bytes"),
        default="pages",
        help="exact: bytes: a curve over bytes, with the sizes of the trace's objects (%(default)s)",
    )
    parser.add_argument("--threads", metavar="N", type=positive, help="exact: threads, at most 1024 (1)")
    parser.add_argument(
        "--sample-rate", metavar="R", type=float, help="shards: fraction of pages sampled (0.01)"
    )
    parser.add_argument(
        "--sample-pages",
        metavar="N",
        type=positive,
        help="shards: sample at most N pages, at a decreasing rate",
    )
    parser.add_argument(
        "--no-band",
        dest="band",
        action="store_false",
        default=None,
        help="shards: no confidence band, which takes about twice the work on the sample",
    )
    parser.add_argument(
        "--frames",
        metavar="N",
        type=int,
        help=f"{OF_HARDWARE}: page frames, a power of two, 256 to 1048576 (as few as hold the trace)",
    )
    parser.add_argument(
        "--groups", metavar="G", type=int, help=f"{OF_HARDWARE}: page groups, 16, 64 or 256 (256)"
    )
    parser.add_argument(
        "--scan-list",
        metavar="N",
        type=positive,
        help="os: pages of the scan list (8192); at most 1/8 of the trace by default",
    )
    parser.add_argument(
        "--period",
        metavar="T",
        type=positive,
        help="os: references between scans (2000); about 1/4 of a shorter scan list by default",
    )
    parser.add_argument(
        "--group-pages",
        metavar="N",
        type=positive,
        help="os: pages of a page group (256; the paper: 64); at most 1/64 of the trace by default",
    )
    parser.add_argument(
        "--seen-only",
        action="store_true",
        default=None,
        help="os: a curve of the references that the tracker sees, as in the paper",
    )
    parser.add_argument(
        "--reference-ns",
        metavar="NS",
        type=float,
        help="os: time of the program for a reference, for the overhead (50000)",
    )


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the Dask cluster that measures the parts of a trace."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="measure on a Dask cluster: its scheduler, such as tcp://host:8786, or its --scheduler-file",
    )
    parser.add_argument(
        "--workers", metavar="N", type=positive, help="measure on a cluster of N processes of this machine"
    )
    parser.add_argument(
        "--parts", metavar="N", type=_parts, help="cluster: parts of the trace (4 for each worker's thread)"
    )
    parser.add_argument(
        "--allow-gaps", action="store_true", help="cluster: numbered files of which some are missing"
    )


def on_cluster(args: argparse.Namespace) -> bool:
    """Return whether a trace is measured on a cluster.

    Raises
    ------
    UserError
        an argument needs a cluster, but none is given.
    """
    if args.scheduler or args.workers:
        return True
    for option, given in (("--parts", args.parts), ("--allow-gaps", args.allow_gaps)):
        if given:
            raise UserError(
                "parts are measured on a cluster", where=option, remedy="give --workers or --scheduler"
            )
    return False
