# SPDX-License-Identifier: BSD-2-Clause
"""A model that is saved and restored after every event checks the same rules and returns the same data."""

import pytest

from tests.litex_soc.ddr3_model.broken_streams import BROKEN_STREAMS, OTHER_WAYS
from tests.litex_soc.ddr3_model.checker_program import BUILD
from tests.litex_soc.ddr3_model.streams import check
from tests.litex_soc.ddr3_model.test_rules import copy_with_fault

LOST = "@100 MRS 0 2 {part:x}\n+20 ACT 0 {bank} 5\n+6 WR 0 {bank} 8 5a 0\n+40 PREA 0\n+10 SRE 0\n+10 SRX 0\n"
READ = "+68 REF 0\n+512 ACT 0 {bank} 5\n+6 RD 0 {bank} 8\n"


def outputs(program, stream, *settings):
    """Without and with restored models."""
    return [check(program, stream, *settings, *more) for more in ((), ("restored=1",))]


@pytest.mark.parametrize("rule", BROKEN_STREAMS)
def test_every_rule_is_checked_across_snapshots(check_stream, rule):
    case = BROKEN_STREAMS[rule]
    for stream in (case.broken(), case.accepted()):
        plain, restored = outputs(check_stream, stream, *case.settings)
        assert restored == plain


@pytest.mark.parametrize(("rule", "stream"), OTHER_WAYS)
def test_other_ways_are_checked_across_snapshots(check_stream, rule, stream):
    plain, restored = outputs(check_stream, stream)
    assert restored == plain


@pytest.mark.parametrize(("bank", "state", "word"), [(0, "kept", 0x5A5A5A5A), (7, "lost", None)])
def test_kept_and_lost_data_survive_snapshots(check_stream, bank, state, word):
    """Part 3 of MR2, an eighth of the array, retains bank 0 alone; CWL 5 is code 0."""
    stream = LOST.format(part=3, bank=bank) + READ.format(bank=bank)
    plain, restored = outputs(check_stream, stream)
    assert restored == plain
    (read,) = restored.reads
    assert read.state == state and word in (None, read.word)


# A member that is not saved, and the rule whose stream finds that.
MUTANTS = {
    "an open bank": ("rank.hpp", "state(mode_, banks_, ", "state(mode_, ", "ACT_OPEN_BANK"),
    "mode registers": ("rank.hpp", "state(mode_, banks_, ", "state(banks_, ", "tXPDLL"),
    "refreshes owed": ("refresh_account.hpp", "entered_, deadline_,", "entered_,", "REFRESH_DEBT"),
    "the last burst on the bus": (
        "data_bus.hpp",
        "state(end_, last_rank_)",
        "state(last_rank_)",
        "RANK_SWITCH",
    ),
    "the pins": ("model.hpp", "state(last_, deadline_,", "state(deadline_,", "tPD"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_member_that_is_not_saved_is_found(name):
    header, old, new, rule = MUTANTS[name]
    program = copy_with_fault(BUILD / "state_mutants" / name.replace(" ", "_"), header, old, new)
    case = BROKEN_STREAMS[rule]
    differ = [outputs(program, stream, *case.settings) for stream in (case.broken(), case.accepted())]
    assert any(plain != restored for plain, restored in differ), "the fault does not show"
