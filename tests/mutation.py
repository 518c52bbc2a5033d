# SPDX-License-Identifier: BSD-2-Clause
"""Seeded mutants: a Python module's source with one text replaced, loaded beside the original."""

import importlib.util
from pathlib import Path


def mutated_source(path: Path, old: str, new: str) -> str:
    """The text of `path` with `old`, which must stand there exactly once, replaced by `new`."""
    source = path.read_text()
    found = source.count(old)
    if found != 1:
        raise ValueError(f"{path}: the text to mutate stands there {found} times, not once: {old!r}")
    return source.replace(old, new)


def mutated_module(path: Path, old: str, new: str):
    """The mutated module; the original, where it is imported, stays as it is."""
    source = mutated_source(path, old, new)
    spec = importlib.util.spec_from_loader(f"{path.stem}_mutant", loader=None)
    module = importlib.util.module_from_spec(spec)
    exec(compile(source, f"mutant of {path}", "exec"), module.__dict__)
    return module
