"""Faults seeded into the DDR3 checker: the streams of its rules find them."""

import shutil
from pathlib import Path

import pytest

from tests.litex_soc.ddr3_model.broken_streams import BROKEN_STREAMS
from tests.litex_soc.ddr3_model.checker_program import BUILD, MODEL, compile_checker
from tests.litex_soc.ddr3_model.streams import check
from tests.mutation import mutated_source

# Header, text, fault, and the rule whose streams find it.
MUTANTS = {
    "refresh_not_in_exit": ("jedec/timing.hpp", "tRFC_ps + 10000", "tRFC_ps", "tXS"),
    "four_activates_may_be_five": ("jedec/timing.hpp", "t.tFAW = t.clocks(", "t.tFAW = t.clocks(-", "tFAW"),
    "data_of_writes_forgotten": ("rank.hpp", " + BURST / 2; }", "; }", "tWTR"),
    "slow_exit_is_fast": ("rank_power.hpp", "mode_.slow_exit() && !row_open", "false", "tXPDLL"),
    "extra_refresh_forgiven": ("refresh_account.hpp", "extra_owed_ = true;", "", "SRX_REFRESH"),
    "nine_postponed": ("refresh_account.hpp", "POSTPONED + 1", "POSTPONED + 2", "REFRESH_DEBT"),
    "rounded_down": ("jedec/timing.hpp", "std::ceil(", "std::floor(", "tRP"),
    "preamble_forgotten": ("data_bus.hpp", "PREAMBLE = 1", "PREAMBLE = 0", "RANK_SWITCH"),
}


def copy_with_fault(folder: Path, header: str, old: str, new: str) -> Path:
    """The checker, compiled in `folder` from a copy of the model with a fault in one header."""
    shutil.copytree(MODEL, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    (folder / header).write_text(mutated_source(MODEL / header, old, new))
    program = folder / "check_stream"
    compile_checker(folder, program, "-O0")
    return program


def mutant(name: str) -> Path:
    """The checker with a fault in it."""
    return copy_with_fault(BUILD / "mutants" / name, *MUTANTS[name][:3])


@pytest.mark.parametrize("name", MUTANTS)
def test_streams_find_the_fault(name):
    program, rule = mutant(name), MUTANTS[name][3]
    case = BROKEN_STREAMS[rule]
    caught = check(program, case.broken(), *case.settings).rules
    accepted = check(program, case.accepted(), *case.settings).rules
    assert (caught, accepted) != ([rule], []), "the fault does not show"
