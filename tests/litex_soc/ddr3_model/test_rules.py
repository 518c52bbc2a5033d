# SPDX-License-Identifier: BSD-2-Clause
"""Every rule of the DDR3 checker is broken by its stream alone, which finds seeded faults."""

import shutil
import subprocess
from pathlib import Path

import pytest
from litedram.common import PhySettings
from litedram.init import get_ddr3_phy_init_sequence
from litedram.modules import MT41J128M16
from litedram.phy.model import get_sdram_phy_settings

from tests.litex_soc.ddr3_model.broken_streams import BROKEN_STREAMS, OTHER_WAYS
from tests.litex_soc.ddr3_model.checker_program import BUILD, MODEL, compile_checker
from tests.litex_soc.ddr3_model.rule_table import README, with_table
from tests.litex_soc.ddr3_model.streams import check, rules_of
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
COMMANDS = ("WE", "CAS", "RAS")
CSR_WRITE_CLOCKS = 4 * 20  # of the DRAM, for a CSR write of a processor; a command takes several


def test_every_rule_has_its_broken_stream(check_stream):
    assert {name for name, _, _ in rules_of(check_stream)} == set(BROKEN_STREAMS)


@pytest.mark.parametrize("rule", BROKEN_STREAMS)
def test_the_broken_stream_breaks_its_rule_and_no_other(check_stream, rule):
    case = BROKEN_STREAMS[rule]
    assert check(check_stream, case.broken(), *case.settings).rules == [rule]


@pytest.mark.parametrize("rule", BROKEN_STREAMS)
def test_the_stream_beside_it_breaks_nothing(check_stream, rule):
    case = BROKEN_STREAMS[rule]
    assert check(check_stream, case.accepted(), *case.settings).rules == []


@pytest.mark.parametrize(("rule", "stream"), OTHER_WAYS)
def test_another_way_to_break_a_rule_breaks_it_and_no_other(check_stream, rule, stream):
    assert check(check_stream, stream).rules == [rule]


def test_ranks_wait_for_themselves_alone(check_stream):
    # The commands of rank 1 would break tRRD, tRFC, tMOD, tXP, tRP or CKE's rules on rank 0.
    stream = "@100 ACT 0 0 5\n+1 ACT 1 0 5\n+20 PREA 0\n+1 PREA 1\n+20 REF 0\n+1 MRS 1 1 0\n+12 REF 1\n"
    stream += "+64 SRE 0\n+5 ACT 1 0 5\n+6 RD 1 0 8\n+10 SRX 0\n+1 RD 1 0 10\n+20 PRE 1 0\n+2 PDE 1\n"
    assert check(check_stream, stream, "ranks=2").rules == []


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        ("@100 ACT 0 0", "line 1: a number is missing"),
        ("@100 REF 0\n\n+5 JUMP 0", "line 3: no command JUMP"),
        ("@100 REF 0\n@99 REF 0", "line 2: time goes back"),
        ("@100 REF 3", "line 1: no rank 3"),
        ("@100 REF 0\n+0 ACT 0 0 5", "line 2: two commands in one cycle"),
    ],
)
def test_a_stream_that_cannot_be_read_is_refused_with_its_line(check_stream, stream, said):
    done = subprocess.run([check_stream], input=stream, capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("setting", ["grade=900X", "tck_ps=1000", "ranks=3", "speed=9"])
def test_settings_that_do_not_exist_are_refused(check_stream, setting):
    done = subprocess.run([check_stream, setting], input="", capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr


def test_the_table_of_the_readme_is_that_of_the_program(check_stream):
    table = with_table(README.read_text(), rules_of(check_stream))
    assert table == README.read_text(), (
        "run python -m tests.litex_soc.ddr3_model.rule_table build/ddr3_model/check_stream"
    )


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


@pytest.mark.parametrize(
    ("clk_freq", "speed", "grade"),
    [(100e6, "800", "800E"), (133e6, "1066", "1066F"), (200e6, "1600", "1600K")],
)
@pytest.mark.parametrize("nranks", [1, 4])
def test_litedrams_initialisation_is_accepted(check_stream, clk_freq, speed, grade, nranks):
    settings = get_sdram_phy_settings("DDR3", 16, clk_freq)
    module = MT41J128M16(clk_freq, "1:4", speedgrade=speed)
    tck_ps = round(1e12 / clk_freq / 4)
    # Before software takes over, the controller refreshes with CKE high.
    stream = "@4 CKE * 1\n@3000 PREA *\n+40 REF *\n" + "\n".join(sequence(settings, module))
    stream += f"\n+{600} REF 0\n+300 ACT 0 0 5\n+30 WR 0 0 8 5a 0\n+40 RD 0 0 8\n+40 PRE 0 0\n"
    # Fast wake-ups would be a violation: LiteDRAM leaves MR0's A12 at 0.
    stream += "+40 PDE 0\n+40 PDX 0\n+24 ACT 0 0 5\n+30 RD 0 0 8"
    done = check(check_stream, stream, f"grade={grade}", f"tck_ps={tck_ps}", f"ranks={nranks}", "cl=0")
    assert done.rules == []
    assert [read.word for read in done.reads] == [0x5A5A5A5A] * 2


def sequence(settings: PhySettings, module: MT41J128M16) -> list[str]:
    """The initialisation as a stream, to all ranks at once."""
    lines = []
    for _, address, bank, flags, delay in get_ddr3_phy_init_sequence(settings, module.timing_settings)[0]:
        names = [flag.rsplit("_", 1)[1] for flag in flags.split("|")]
        if "CONTROL" in flags:
            lines.append(f"+{CSR_WRITE_CLOCKS} CKE * {int('CKE' in names)}")
            lines.append(f"+0 ODT * {int('ODT' in names)}")
        elif set(COMMANDS) <= set(names):
            lines.append(f"+{3 * CSR_WRITE_CLOCKS} MRS * {bank:x} {address:x}")
        else:
            assert names == ["WE", "CS"] and address == 1 << 10
            lines.append(f"+{3 * CSR_WRITE_CLOCKS} ZQCL *")
        lines.append(f"+{delay} END")
    return lines
