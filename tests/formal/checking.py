# SPDX-License-Identifier: BSD-2-Clause
"""Decides all properties of a proof and reaches their cases, and shows how a broken property comes about."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock

from tests.formal.engine import BUILD, Verdict, decide, to_aiger, witness
from tests.formal.proof import Effort, Goal, Proof
from tests.formal.trace import trace

LIMIT_S = 1500  # for one property or fault, on a busy machine; the longest one needs 40 s on an idle one


@dataclass(frozen=True)
class Row:
    """A line of the table, and of build/formal/summary.json.

    Parameters
    ----------
    cases
        of the property, with the cycle in which each is reached; None if it is not.
    """

    unit: str
    property: str
    parameters: str
    method: str
    cases: dict[str, int | None]
    seconds: float
    holds: bool

    def as_dict(self) -> dict:
        return asdict(self) | {"seconds": round(self.seconds, 1)}


def check(proof_class: type[Proof], elaborating: Lock) -> Iterator[Row]:
    """Yield a row for each property; it holds, and its cases are reached, or not."""
    with elaborating:
        proof = proof_class()
        aiger, outputs = to_aiger(proof, BUILD / proof_class.__name__)
    for goal in proof.properties:
        seconds = 0.0
        for target in goal.targets:
            name = target.name_override
            verdict = decide(aiger, name, outputs[name], goal.effort, LIMIT_S)
            seconds += verdict.seconds
            if verdict.kind in ("reached", "undecided"):
                break
        verdict = replace(verdict, seconds=seconds)
        if verdict.kind == "reached":
            path = aiger.parent / f"{name}.trace"
            path.write_text(trace(aiger.parent, witness(aiger, outputs[name], verdict.frame)))
            print(f"the signals of the cycles that break it: {path}")
        reached = {}
        for case in goal.cases:
            name = case.signal.name_override
            found = decide(aiger, name, outputs[name], reach_of(goal), LIMIT_S)
            reached[case.name] = found.frame if found.kind == "reached" else None
        yield row_of(proof, goal, verdict, reached)


def reach_of(goal: Goal) -> Effort:
    """Return how far cases and faults of a property are looked for: as far as it is proved, if bounded."""
    return Effort(goal.effort.reach, prepare="strash")


def row_of(proof: Proof, goal: Goal, verdict: Verdict, reached: dict[str, int | None]) -> Row:
    """Return what a verdict means: a property must not be broken, its cases must be reached."""
    methods = {
        "proved": f"all states ({'induction' if goal.effort.inductive else 'PDR'})",
        "bounded": f"bounded: first {verdict.depth} cycles (BMC)",
        "reached": f"BROKEN in cycle {verdict.frame}",
        "undecided": "UNDECIDED",
    }
    holds = verdict.kind in ("proved", "bounded") and None not in reached.values()
    method, seconds = methods[verdict.kind], verdict.seconds
    unit = type(proof.unit).__name__
    return Row(unit, goal.name, proof.parameters, method, reached, seconds, holds)


def breaks(
    build: Callable[[], AbstractContextManager[Proof]], folder: Path, name: str, elaborating: Lock
) -> Verdict:
    """Return whether the property `name` of a proof of a faulty unit is broken as far as it is proved."""
    with elaborating, build() as proof:
        found = [goal for goal in proof.properties if goal.name == name]
        if len(found) != 1:
            raise ValueError(f"{type(proof).__name__} has {len(found)} properties named {name!r}")
        aiger, outputs = to_aiger(proof, folder)
    output = found[0].broken.name_override
    return decide(aiger, output, outputs[output], reach_of(found[0]), LIMIT_S)
