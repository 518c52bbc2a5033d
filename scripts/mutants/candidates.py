# SPDX-License-Identifier: BSD-2-Clause
"""Candidate mutants of Python modules: cosmic-ray's operators, annotations and docstrings left out."""

import ast
import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

# NoOp changes nothing, ExceptionReplacer cannot handle dotted names; the variable operators need arguments.
_OPERATORS = [
    name
    for name in sorted(operator_names())
    if name not in ("core/NoOp", "core/ExceptionReplacer") and not get_operator(name).arguments()
]


@dataclass(frozen=True)
class Mutant:
    """One place of one module, changed by one operator.

    Attributes
    ----------
    module
        path relative to the tree.
    line
        number of the first line changed, from 1.
    operator, occurrence
        which change; cosmic-ray's terms.
    """

    module: str
    line: int
    operator: str
    occurrence: int

    def text(self, tree: Path) -> str:
        """The mutated text of the whole module."""
        return mutate_code((tree / self.module).read_text(), get_operator(self.operator)(), self.occurrence)

    def changed_line(self, tree: Path) -> tuple[str, str]:
        """The first line that differs, without and with the fault, stripped."""
        before = (tree / self.module).read_text().splitlines()
        after = self.text(tree).splitlines()
        for old, new in zip(before, after, strict=False):
            if old != new:
                return old.strip(), new.strip()
        return before[-1].strip(), after[-1].strip()


def sample(tree: Path, modules: Iterable[str], count: int, seed: int) -> list[Mutant]:
    """Draw mutants: a place uniformly among all places, then one of the operators that apply there.

    Drawing places first keeps operators with many forms, such as those on binary operators, from
    crowding out the others.
    """
    places: dict[tuple[str, tuple[int, int]], list[Mutant]] = defaultdict(list)
    for module in modules:
        for position, mutant in _mutants_of(tree, module):
            places[module, position].append(mutant)
    dice = random.Random(seed)
    drawn = dice.sample(sorted(places), min(count, len(places)))
    return [dice.choice(places[place]) for place in drawn]


def _mutants_of(tree: Path, module: str) -> Iterable[tuple[tuple[int, int], Mutant]]:
    source = (tree / module).read_text()
    parsed = get_ast(source)
    left_out = _annotation_lines_and_columns(source)
    for name in _OPERATORS:
        operator = get_operator(name)()
        positions = [place for node in ast_nodes(parsed) for place in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(positions):
            if not any(first <= start < last for first, last in left_out):
                yield start, Mutant(module, start[0], name, occurrence)


def _annotation_lines_and_columns(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Spans that no test could or should notice: annotations, and what only type checkers run."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        found = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            found.append(node.returns)
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            found.append(node.annotation)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found += [node]
        spans += [((each.lineno, each.col_offset), (each.end_lineno, each.end_col_offset)) for each in found]
    return spans
