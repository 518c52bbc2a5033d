# SPDX-License-Identifier: BSD-2-Clause
"""Each rule of the SDRAM checker is broken by its stream, which breaks no other; data are the chip's."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.litex_soc.sdr_model.sdr_broken_streams import ACT, BROKEN_STREAMS, OTHER_WAYS
from tests.litex_soc.sdr_model.sdr_checker import (
    BUILD,
    CHECKED,
    MODEL,
    check,
    compile_checker,
    rules_of,
    with_table,
)
from tests.mutation import mutated_source
from tests.products import alone_in

# Header, text, fault, and the rule whose streams find it.
MUTANTS = {
    "rounded_down": ("model.hpp", "(ps + p_.tCK_ps - 1) / p_.tCK_ps", "ps / p_.tCK_ps", "tRP"),
    "refresh_forgotten": ("model.hpp", "now_ - refreshed_at_ >= clocks(tRFC_PS)", "true", "tRFC"),
    "written_forgotten": ("model.hpp", "bank.written = now_;", "", "tWR"),
    "early_data": ("model.hpp", "coming_[cl_ - 1]", "coming_[cl_ - 2]", "DQ_CONFLICT"),
    "one_refresh_will_do": ("model.hpp", "steps_ & REFRESHED ? REFRESHED_TWICE", "true ? 6u", "INIT"),
    "any_row_of_any_bank": (
        "model.hpp",
        "i == pins.bank || now_ - banks_[i]",
        "true || now_ - banks_[i]",
        "tRRD",
    ),
    "sixty_five_ms": ("chip.hpp", "tREF_PS = 64'000'000'000", "tREF_PS = 65'000'000'000", "tREF"),
}


@pytest.fixture(scope="session")
def checker() -> Path:
    with alone_in(BUILD):
        return compile_checker(MODEL, BUILD / "check_stream", *CHECKED)


def test_every_rule_has_its_broken_stream(checker: Path) -> None:
    assert {name for name, _, _ in rules_of(checker)} == set(BROKEN_STREAMS)


@pytest.mark.parametrize("rule", BROKEN_STREAMS)
def test_the_broken_stream_breaks_its_rule_and_no_other(checker: Path, rule: str) -> None:
    case = BROKEN_STREAMS[rule]
    assert check(checker, case.broken(), *case.settings).rules == [rule]


@pytest.mark.parametrize("rule", BROKEN_STREAMS)
def test_the_stream_beside_it_breaks_nothing(checker: Path, rule: str) -> None:
    case = BROKEN_STREAMS[rule]
    assert check(checker, case.accepted(), *case.settings).rules == []


@pytest.mark.parametrize(("rule", "stream"), OTHER_WAYS)
def test_another_way_to_break_a_rule_breaks_it(checker: Path, rule: str, stream: str) -> None:
    settings = ("cl=0",) if rule == "INIT" else ()
    assert set(check(checker, stream, *settings).rules) == {rule}


@pytest.mark.parametrize("name", MUTANTS)
def test_streams_find_a_fault_in_the_model(name: str) -> None:
    header, old, new, rule = MUTANTS[name]
    folder = BUILD / "mutants" / name
    shutil.copytree(MODEL, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    (folder / header).write_text(mutated_source(MODEL / header, old, new))
    program = compile_checker(folder, folder / "check_stream", "-O1")
    case = BROKEN_STREAMS[rule]
    caught = check(program, case.broken(), *case.settings).rules
    accepted = check(program, case.accepted(), *case.settings).rules
    assert (caught, accepted) != ([rule], []), "the fault does not show"


@pytest.mark.parametrize("cl", [2, 3])
def test_data_come_cl_cycles_after_the_read(checker: Path, cl: int) -> None:
    stream = ACT + "+6 WR 0 8 1234 0\n+1 WR 0 9 5678 0\n+2 RD 0 8\n+1 RD 0 9\n"
    # RD at 109 and 110; the chip drives from the edge before the one that samples them.
    expected = [(109 + cl - 1, 0x1234, 0xFFFF), (110 + cl - 1, 0x5678, 0xFFFF)]
    assert check(checker, stream, f"cl={cl}", "tck_ps=10000").data == expected


def test_dqm_masks_writes_at_once_and_reads_two_cycles_later(checker: Path) -> None:
    stream = ACT + "+6 WR 0 8 1234 0\n+1 WR 0 8 abcd 2\n+2 RD 0 8\n+1 DQM 1\n"
    assert check(checker, stream).data == [(111, 0x12CD, 0xFF00)]


def test_before_its_initialisation_a_low_cke_keeps_commands_out(checker: Path) -> None:
    seen = check(checker, "@1 CKE 0\n@10 PREA\n+3 REF\n+9 MRS 31\n", "cl=0")
    assert (seen.rules, seen.counts["refreshes"]) == ([], 0)


def test_refreshes_before_the_initialisation_do_not_count_for_its_rows(checker: Path) -> None:
    """Between the first refresh and the 8,192nd are 64.1 ms, from the mode register on less."""
    start = "@13334 PREA\n+3 REF\n+9 REF\n@40000 MRS 30\n"
    refreshes = "".join(f"@{40_100 + 1041 * n} REF\n" for n in range(8190))  # 7.8075 us each
    assert check(checker, start + refreshes, "cl=0").rules == []


def test_rows_and_banks_do_not_mix(checker: Path) -> None:
    stream = ACT + "+2 ACT 1 5\n+6 WR 0 8 1 0\n+1 WR 1 8 2 0\n+9 PREA\n+3 ACT 0 6\n+3 WR 0 8 3 0\n+9 PRE 0\n"
    stream += "+3 ACT 0 5\n+3 RD 0 8\n+9 ACT 1 5\n+3 RD 1 8\n+1 PREA 0\n"
    assert [word for _, word, _ in check(checker, stream).data] == [1, 2]


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        ("@100 ACT 0", "line 1: a number is missing"),
        ("@100 REF\n\n+5 JUMP 0", "line 3: no command JUMP"),
        ("@100 REF\n@99 REF", "line 2: time goes back"),
        ("@100 REF\n+0 ACT 0 5", "line 2: two commands in one cycle"),
    ],
)
def test_a_stream_that_cannot_be_read_is_refused_with_its_line(checker: Path, stream: str, said: str) -> None:
    done = subprocess.run([checker], input=stream, capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr


def test_the_table_of_the_readme_is_that_of_the_program(checker: Path) -> None:
    readme = (MODEL / "README.md").read_text()
    assert with_table(readme, rules_of(checker)) == readme
