"""The quick proofs hold, and their seeded faults break them; `make formal` runs all."""

from threading import Lock

import pytest
from formal.catalogue import PROOFS, QUICK
from formal.checking import breaks, check
from formal.engine import BUILD, EngineError, any_read_at_collisions, find_abc
from formal.faults import MUTANTS
from formal.faults.mutant import built
from formal.hit_counters import HitCountersProof
from litemrc_gateware.counters.hit_counters import HitCounters


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
