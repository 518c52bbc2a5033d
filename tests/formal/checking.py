"""Decides all goals of a proof, and shows how a broken property comes about."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from formal.engine import BUILD, Verdict, decide, to_aiger, witness
from formal.proof import Effort, Goal, Proof
from formal.trace import trace

LIMIT_S = 400  # for one property; those of the table need far less
MUTANT_DEPTH = 70


@dataclass(frozen=True)
class Row:
    """A line of the table, and of build/formal/summary.json."""

    unit: str
    property: str
    parameters: str
    method: str
    seconds: float
    holds: bool

    def as_dict(self) -> dict:
        return asdict(self) | {"seconds": round(self.seconds, 1)}


def check(proof_class: type[Proof], elaborating: Lock) -> Iterator[Row]:
    """Yield a row for each property and each state to be reached; both hold or do not."""
    with elaborating:
        proof = proof_class()
        aiger, outputs = to_aiger(proof, BUILD / proof_class.__name__)
    for goal in (*proof.properties, *proof.covers):
        verdict = decide(aiger, outputs[goal.signal.name_override], goal, LIMIT_S)
        row = row_of(proof, goal, verdict)
        if verdict.kind == "reached" and not row.holds:
            output = outputs[goal.signal.name_override]
            path = aiger.parent / f"{goal.signal.name_override}.trace"
            path.write_text(trace(aiger.parent, witness(aiger, output, verdict.frame)))
            print(f"the signals of the cycles that break it: {path}")
        yield row


def row_of(proof: Proof, goal: Goal, verdict: Verdict) -> Row:
    """Return what a verdict means: a property must not be broken, a state must be reached."""
    is_cover = goal in proof.covers
    methods = {
        "proved": "all states (PDR)",
        "bounded": f"first {verdict.frame} cycles (BMC)",
        "reached": f"reached in cycle {verdict.frame}" if is_cover else f"BROKEN in cycle {verdict.frame}",
        "undecided": "UNDECIDED",
    }
    good = ("reached",) if is_cover else ("proved", "bounded")
    name = f"reachable: {goal.name}" if is_cover else goal.name
    unit = type(proof.unit).__name__
    return Row(unit, name, proof.parameters, methods[verdict.kind], verdict.seconds, verdict.kind in good)


def breaks(
    build: Callable[[], AbstractContextManager[Proof]], folder: Path, name: str, elaborating: Lock
) -> Verdict:
    """Return whether the property `name` of a proof of a faulty unit is broken in its first cycles."""
    with elaborating, build() as proof:
        found = [goal for goal in proof.properties if goal.name == name]
        if len(found) != 1:
            raise ValueError(f"{type(proof).__name__} has {len(found)} properties named {name!r}")
        aiger, outputs = to_aiger(proof, folder)
    shallow = Goal(name, found[0].signal, Effort(MUTANT_DEPTH, prepare="strash"))
    return decide(aiger, outputs[found[0].signal.name_override], shallow, LIMIT_S)
