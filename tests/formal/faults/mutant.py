# SPDX-License-Identifier: BSD-2-Clause
"""A seeded fault: a text of a unit's source replaced, and the property of its proof that must break."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from tests.formal.proof import Proof
from tests.mutation import mutated_module


@dataclass(frozen=True)
class Mutant:
    """A text of a class's module that is replaced, and the property that breaks.

    Parameters
    ----------
    faulty
        "room.module.Class".
    user
        module of the unit that uses the class, if it is not the unit itself.
    runs
        the same proof of fewer runs, among which the fault is found sooner.
    """

    proof: type[Proof]
    breaks: str
    faulty: str
    old: str
    new: str
    user: str = ""
    runs: type[Proof] | None = None

    def __str__(self) -> str:
        return f"{self.proof.__name__}: {self.breaks}: {self.old[:40]!r}"


@contextmanager
def built(mutant: Mutant) -> Iterator[Proof]:
    """Give the proof of the unit with its fault."""
    proof = mutant.runs or mutant.proof
    name, cls = mutant.faulty.rsplit(".", 1)
    module = import_module(f"litemrc_gateware.{name}")
    faulty = getattr(mutated_module(Path(module.__file__), mutant.old, mutant.new), cls)
    if mutant.user:
        with patch.object(import_module(f"litemrc_gateware.{mutant.user}"), cls, faulty):
            yield proof()
    else:
        yield proof(faulty)


def withdrawn(source: str, when: str) -> str:
    """Return the text of a unit's `source` that withdraws its record while `when`."""
    return (
        f"self.source = stream.Endpoint({source}.description)\n"
        f"        self.comb += {source}.connect(self.source, omit={{'valid'}})\n"
        f"        self.comb += self.source.valid.eq({source}.valid & ~{when})"
    )
