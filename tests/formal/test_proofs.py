# SPDX-License-Identifier: BSD-2-Clause
"""The quick proofs hold, and their seeded faults break them; `make formal` runs all."""

from contextlib import nullcontext
from threading import Lock

import pytest
from litemrc_gateware.counters.hit_counters import HitCounters
from migen import Signal

from tests.formal.catalogue import PROOFS, QUICK
from tests.formal.checking import breaks, check
from tests.formal.engine import BUILD, EngineError, any_read_at_collisions, find_abc
from tests.formal.faults import MUTANTS
from tests.formal.faults.mutant import built
from tests.formal.hit_counters import HitCountersProof
from tests.formal.proof import Effort, Proof


@pytest.fixture(autouse=True, scope="module")
def _abc():
    try:
        find_abc()
    except EngineError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("proof", (HitCountersProof, *QUICK), ids=lambda proof: proof.__name__)
def test_every_property_holds_and_its_cases_are_reached(proof):
    rows = list(check(proof, Lock()))
    assert rows and not [row for row in rows if not row.holds]


@pytest.mark.parametrize(
    ("number", "mutant"), [pair for pair in enumerate(MUTANTS) if pair[1].proof in QUICK], ids=str
)
def test_a_seeded_fault_breaks_its_property(number, mutant):
    folder = BUILD / "mutants" / f"test{number}"
    assert breaks(lambda: built(mutant), folder, mutant.breaks, Lock()).kind == "reached"


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_every_property_has_a_seeded_fault(proof):
    names = {goal.name for goal in proof().properties}
    assert {mutant.breaks for mutant in MUTANTS if mutant.proof is proof} == names


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_every_property_has_a_case_to_be_reached(proof):
    """Its antecedent; a property that is said to hold always has another one."""
    assert not [goal.name for goal in proof().properties if not goal.cases]


class CountingProof(Proof):
    """A counter from 0, which is not below 9 in cycle 9; `never` stays 0."""

    unit, effort, lemma = None, Effort(), ""

    def __init__(self) -> None:
        super().__init__()
        count, never, too = Signal(4), Signal(), Signal()
        self.sync += [count.eq(count + 1), never.eq(too), too.eq(never)]
        self.prove(
            "below 9",
            (count < 9) | never,
            when=count != 0,
            cases={"8": count == 8},
            effort=self.effort,
            lemmas={"": [], "below": [count < 9], "never": [never, too]}[self.lemma],
        )


@pytest.mark.parametrize(
    ("depth", "case", "method"),
    [
        (8, None, "bounded: first 8 cycles (BMC)"),
        (9, 8, "bounded: first 9 cycles (BMC)"),
        (10, 8, "BROKEN in cycle 9"),
    ],
)
def test_a_case_is_reached_within_the_depth_of_the_proof_or_not_at_all(monkeypatch, depth, case, method):
    monkeypatch.setattr(CountingProof, "effort", Effort(depth))
    (row,) = check(CountingProof, Lock())
    assert (row.method, row.cases, row.holds) == (method, {"antecedent": 1, "8": case}, depth == 9)


@pytest.mark.parametrize(("depth", "kind"), [(9, "bounded"), (10, "reached")])
def test_a_fault_is_found_within_the_depth_of_the_proof_or_not_at_all(monkeypatch, depth, kind):
    monkeypatch.setattr(CountingProof, "effort", Effort(depth))
    folder = BUILD / "mutants" / "counting"
    assert breaks(lambda: nullcontext(CountingProof()), folder, "below 9", Lock()).kind == kind


@pytest.mark.parametrize(("lemma", "method"), [("below", "UNDECIDED"), ("never", "BROKEN in cycle 0")])
def test_induction_needs_its_step_and_its_first_cycle(monkeypatch, lemma, method):
    """Below 9 does not follow from the cycle before; it follows from `never`, which is not true."""
    monkeypatch.setattr(CountingProof, "lemma", lemma)
    (row,) = check(CountingProof, Lock())
    assert (row.method, row.holds) == (method, False)


VERILOG = (
    "//---\n// Memory words: 4-words x 8-bit\n//---\nreg [7:0] words[0:3];\n"
    "reg [7:0] words_dat0;\nalways @(posedge sys_clk) begin\n\twords_dat0 <= words[read];\nend\n"
    "always @(posedge sys_clk) begin\n\tif (we)\n\t\twords[write] <= data;\nend\n"
)


def test_a_read_that_meets_a_write_may_read_anything():
    changed = any_read_at_collisions(VERILOG)
    assert "words_dat0 <= ((we & (write == read))) ? words_dat0_any : words[read];" in changed


@pytest.mark.parametrize(("known", "other"), [("if (we)", "if (we[0])"), ("words[read]", "words[read[1:0]]")])
def test_an_access_of_unknown_form_is_refused(known, other):
    with pytest.raises(EngineError, match="memory words is accessed in a form that is not known"):
        any_read_at_collisions(VERILOG.replace(known, other))


def test_totals_whose_carry_would_clear_the_limit_are_refused():
    """2-bit counters: counts of 3 bits, 1 above the 2 low ones; a carry on top of 1 is 0."""
    with pytest.raises(ValueError, match="width must be at least 4"):
        HitCounters(groups=4, contexts=2, counter_bits=2)
