# SPDX-License-Identifier: BSD-2-Clause
"""The integer types of hls/small_int: results equal to those of the vendor's headers, seeded faults found."""

import random
import sys
from pathlib import Path

import pytest

from tests.compiling import CXX_FLAGS
from tests.mutation import mutated_source
from tests.products import REPO, run_tool

OPERATIONS = Path(__file__).parent / "operations.cpp"
VENDOR, SMALL = REPO / "build" / "ap_types", REPO / "hls" / "small_int"
SEED = 2004
# Of the units, and those around the sizes of native types.
WIDTHS = (1, 2, 3, 4, 7, 8, 9, 13, 15, 16, 17, 24, 31, 32, 33, 40, 47, 48, 56, 63, 64)
NATIVE = ("bool", "int", "unsigned", "uint8_t", "int16_t", "long", "unsigned long long")
# Enough to find the mutants.
FIRST = (
    "ONE(ap_int<9>)",
    "ONE(ap_uint<5>)",
    "PAIR(ap_uint<32>, int)",
    "PAIR(ap_int<7>, ap_uint<7>)",
    "PAIR(ap_uint<8>, ap_uint<3>)",
)
MUTANTS = {
    "a sum without its carry": ("using Sum = Int<common + 1", "using Sum = Int<common"),
    "an unsigned difference": (
        "using Difference = Int<common + 1, true>",
        "using Difference = Int<common + 1, is_signed>",
    ),
    "a product as wide as its factors": ("Int<W1 + W2, is_signed>", "Int<common, is_signed>"),
    "no room for the other operand's sign": ("larger(W1 + (S2 && !S1), W2", "larger(W1, W2"),
    "a remainder as wide as the dividend": ("Int<(W1 < W2 + (!S2 && S1) ?", "Int<(W1 < W2 + 99 ?"),
    "a shift that drops the sign": ("S && value_ < 0 ? ~Word<W>(0)", "S && value_ < 0 ? Word<W>(0)"),
    "comparison by value only": ("UNSIGNED_W >= 32 && ", "UNSIGNED_W >= 99 && "),
    "equality of 32 bits": ("P::W1 == P::W2 ? 64 : 32", "32"),
    "a bit that is only set": ("| mask : Word<W>(of_.value_) & ~mask", "| mask : Word<W>(of_.value_)"),
    "bits that stay in their place": ("& mask_) << low_);", "& mask_));"),
    "no wrap-around": ("storage(Word<W>(bits << SPARE) >> SPARE)", "storage(bits)"),
}


def pairs(count: int) -> list[str]:
    """Macros that run all operations of a type, or of two types; those of FIRST come first."""
    generator = random.Random(SEED)
    sized = [f"{name}<{width}>" for name in ("ap_int", "ap_uint") for width in WIDTHS]
    ones = [f"ONE({name})" for name in generator.sample(sized, count // 2)]
    natives = [f"PAIR(ap_uint<{generator.choice(WIDTHS)}>, {name})" for name in NATIVE]
    twos = [f"PAIR({generator.choice(sized)}, {generator.choice(sized)})" for _ in range(count)]
    return [*FIRST, *ones, *natives, *twos]


def results(folder: Path, headers: Path, macros: list[str]) -> dict[str, str]:
    """Width, signedness and checksum of the results of each operation, with the headers of a folder."""
    (folder / "pairs.hpp").write_text("#define PAIRS " + " ".join(macros) + "\n")
    command = ["g++", *CXX_FLAGS, "-O0", "-include", folder / "pairs.hpp", "-isystem", headers]
    run_tool([*command, OPERATIONS, "-o", folder / "operations"])
    lines = run_tool([folder / "operations", str(SEED)]).splitlines()
    return dict(line.rsplit(": ", 1) for line in lines)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    run_tool([sys.executable, REPO / "scripts" / "setup" / "fetch_ap_types.py"])
    return results(tmp_path_factory.mktemp("vendor"), VENDOR, pairs(30))


def test_every_operation_gives_the_result_of_the_vendors_headers(tmp_path, expected):
    found = results(tmp_path, SMALL, pairs(30))
    assert found.keys() == expected.keys() and len(found) > 1000
    different = {name: (found[name], result) for name, result in expected.items() if found[name] != result}
    assert not different


@pytest.mark.parametrize("name", MUTANTS)
def test_a_faulty_header_is_noticed(tmp_path, expected, name):
    right, wrong = MUTANTS[name]
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "ap_int.h").write_text(mutated_source(SMALL / "ap_int.h", right, wrong))
    found = results(tmp_path, headers, list(FIRST))
    assert any(result != expected[operation] for operation, result in found.items())
