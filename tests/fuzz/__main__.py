# SPDX-License-Identifier: BSD-2-Clause
"""Fuzz one decoder, guided by coverage (Atheris, libFuzzer); the README of tests/ says how inputs are kept.

    python -m tests.fuzz NAME [--seconds 1800] [--runs N] [--seed N]

Exit code 0 if nothing was found. A finding's input is written to build/fuzz/NAME, its traceback to the
terminal.
"""

import argparse
import gc
import hashlib
import sys
from pathlib import Path
from types import FunctionType

import atheris

from tests.fuzz.target import NAMES, kept_inputs, target


def instrument(package: str) -> None:
    """Record coverage in an imported package; Atheris' import hook misses editable installs."""
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and (each.__module__ or "").split(".")[0] == package:
            atheris.instrument_func(each)


def main() -> None:
    """Fuzz the target that the command line names."""
    parser = argparse.ArgumentParser(prog="fuzz", description="fuzz a decoder of untrusted bytes")
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--seconds", type=int, default=0, help="end after n seconds")
    parser.add_argument("--runs", type=int, default=-1, help="end after n inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    options = parser.parse_args()
    chosen = target(options.name)
    instrument("litemrc")
    folder = options.out / options.name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for content in [*kept_inputs(options.name), *chosen.seeds()]:
        (corpus / hashlib.sha1(content).hexdigest()).write_bytes(content)
    limits = {
        "max_total_time": options.seconds,
        "runs": options.runs,
        "seed": options.seed,
        "max_len": chosen.longest,
        "timeout": chosen.seconds,
        "rss_limit_mb": chosen.megabytes,
        "artifact_prefix": f"{folder}/",
        "print_final_stats": 1,
    }
    atheris.Setup(
        [sys.argv[0], *(f"-{name}={value}" for name, value in limits.items()), str(corpus)], chosen.try_one
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
