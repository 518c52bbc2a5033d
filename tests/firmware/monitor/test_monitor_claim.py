# SPDX-License-Identifier: BSD-2-Clause
"""monitor_claim() of the bare-metal firmware: each frame is claimed once, and no command is lost."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mutation import mutated_source
from tests.products import REPO

HERE = Path(__file__).parent
FIRMWARE = REPO / "firmware"
MONITOR = FIRMWARE / "baremetal" / "monitor.c"
FEATURES = '-DDEVICE_FEATURES_FILE="soc_features.h"'
FOLDERS = [HERE.parent / "link" / "soc", *(FIRMWARE / name for name in ("baremetal", "service", "include"))]
MUTANTS = {
    "no place is left for the interrupt": ("commands > 1 ? commands - 1 : 1", "commands"),
    "the order is not written": ("order << LITEMRC_CLAIM_ORDER_SHIFT", "0u << LITEMRC_CLAIM_ORDER_SHIFT"),
    "the context is not written": ("context << LITEMRC_CLAIM", "0u * context << LITEMRC_CLAIM"),
    "the frames stay": ("first += 1u << order;", ""),
}
Claims = Callable[[int, int, int], tuple[list[tuple[int, int]], int]]


def built(folder: Path, source: str) -> Claims:
    """Return a function: the frames claimed, each with its context, and the commands lost."""
    (folder / "monitor.c").write_text(source)
    flags = ["-O1", "-fsanitize=address,undefined", FEATURES, *(f"-I{path}" for path in FOLDERS)]
    files = [folder / "monitor.c", HERE / "claims.c", "-o", folder / "claims"]
    subprocess.run(["gcc", "-Wall", "-Werror", *flags, *files], check=True)

    def claims(first: int, count: int, context: int) -> tuple[list[tuple[int, int]], int]:
        command = [folder / "claims", *map(str, (first, count, context))]
        *words, lost = map(int, subprocess.check_output(command).split())
        frames = [
            ((word & 0xFFFFFF) + n, word >> 24 & 31) for word in words for n in range(1 << (word >> 29))
        ]
        return frames, lost

    return claims


RUNS = [(0, 0, 0), (7, 1, 3), (100, 2, 31), (5, 127, 1), (5, 128, 1), (9, 255, 2), (300, 1029, 4)]


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Claims:
    return built(tmp_path_factory.mktemp("claims"), MONITOR.read_text())


@pytest.mark.parametrize(("first", "count", "context"), RUNS)
def test_each_frame_is_claimed_once_in_order_and_nothing_is_lost(claims, first, count, context) -> None:
    assert claims(first, count, context) == ([(first + n, context) for n in range(count)], 0)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_is_found(name: str, tmp_path: Path) -> None:
    faulty = built(tmp_path, mutated_source(MONITOR, *MUTANTS[name]))
    assert any(
        faulty(first, count, context) != ([(first + n, context) for n in range(count)], 0)
        for first, count, context in RUNS
    )
