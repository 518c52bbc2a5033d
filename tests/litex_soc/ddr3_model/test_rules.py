"""Every rule of the DDR3 checker is broken by its stream, which breaks no other rule."""

import subprocess

import pytest

from tests.litex_soc.ddr3_model.broken_streams import BROKEN_STREAMS, OTHER_WAYS
from tests.litex_soc.ddr3_model.rule_table import README, with_table
from tests.litex_soc.ddr3_model.streams import check, rules_of


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
