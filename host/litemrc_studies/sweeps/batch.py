# SPDX-License-Identifier: BSD-2-Clause
"""What a worker does: run some points, one after the other."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from litemrc.cluster.build import build as build_of
from litemrc.errors import UserError

from litemrc_studies.sweeps.point import Outcome, Point, first_difference

Run = Callable[[Sequence[str]], tuple[list[dict[str, Any]], list[str]]]
"""Runs a command with its arguments, and returns rows of results, and notes; UserError: it cannot."""


def build() -> str:
    """Return the version and a digest of the sources of both distributions."""
    return build_of("litemrc", "litemrc_studies")


def run_batch(run: Run, batch: Sequence[tuple[str, Point]], expected_build: str) -> list[Outcome]:
    """Run points with their keys; each that fails has an outcome, too.

    Raises
    ------
    UserError
        the LiteMRC of this worker is not the one of `expected_build`.
    """
    if build() != expected_build:
        raise UserError(
            f"a worker has LiteMRC {build()}, and the sweep was started with {expected_build}",
            remedy="install the same LiteMRC in the environment of each worker, and start the workers again",
        )
    return [_run_point(run, key, point) for key, point in batch]


def _run_point(run: Run, key: str, point: Point) -> Outcome:
    began = time.perf_counter()
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    error = first_difference(point.inputs) or ""
    if not error:
        try:
            rows, notes = run(point.arguments)
        except UserError as wrong:
            error = str(wrong)
        except MemoryError as wrong:
            error = f"not enough memory: {wrong}".removesuffix(": ")
        except Exception as wrong:  # a point must not end the sweep; its error is in the table
            error = f"{type(wrong).__name__}: {wrong}"
    return Outcome(key, rows, notes, time.perf_counter() - began, error)
