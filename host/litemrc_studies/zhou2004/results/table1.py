# SPDX-License-Identifier: BSD-2-Clause
"""Fills table 1 of zhou2004/page.md: part of `make results-zhou2004`.

The words and accesses of our units are counted: their sources in hls/, which the RTL equals, are compiled
with memories that count (table1.cpp).
"""

import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.docs.page_tables import fill_tables, fill_values, page_parser

REPO = Path(__file__).resolve().parents[4]
FRAMES, GROUPS = 262_144, 256  # the paper's example: 1 GB in pages of 4 KB
CONTEXTS = (1, 8)
UNITS = ("group_stack", "bucket_stack", "hit_counters")
# Parts of the paper's table 1, and the memories of our units that have their place.
LRU_ARRAY = {"group_stack": ("pages_", "next_", "prev_"), "bucket_stack": ("pages_",)}
GROUP_HEADERS = {
    "group_stack": ("group_headers_", "sizes_"),
    "bucket_stack": ("counts_", "owners_", "map_", "nodes_"),
}
NODES = ("bucket_stack", "nodes_")
STACKS = ("group_stack", "bucket_stack")
_MEMORY = re.compile(r"HLS_STATE (?:Stored<(\w+)>|(\w+)) (\w+_)((?:\[[^;\n]+\])+);")
_SUBSTITUTES = {  # what does not compile with counting words as it stands
    "bucket_stack/bucket_stack.cpp": {
        "pages_t &pages = nodes_": "auto &pages = nodes_",
        "newer += pages;": "newer += pages_t(pages);",
        "unpack_into(pages_[frame],": "unpack_into(page_word_t(pages_[frame]),",
    },
    "hit_counters/hit_counters.hpp": {
        "Memory<counter_t, CONTEXTS * GROUPS, HIT_CYCLES> hits_;": "counter_t hits_[CONTEXTS * GROUPS];",
    },
}


@dataclass
class Measured:
    """What the units have and do; by unit and memory.

    Attributes
    ----------
    bits, word_bits
        bits of the memory, and of a word of it.
    hits
        accesses of a hit, by group.
    means
        accesses of a hit in a random page.
    increments
        counters that a hit increments.
    """

    bits: dict[tuple[str, str], int] = field(default_factory=dict)
    word_bits: dict[tuple[str, str], int] = field(default_factory=dict)
    hits: dict[tuple[str, str], dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    means: dict[tuple[str, str], float] = field(default_factory=dict)
    increments: int = 0


def main() -> None:
    args = page_parser(__doc__, "zhou2004").parse_args()
    measured = {contexts: measure(FRAMES, GROUPS, contexts) for contexts in CONTEXTS}
    page = args.docs / "page.md"
    fill_tables(page, {"table1": _table(measured), "table1-accesses": _accesses(measured[1])})
    fill_values(page, {"table1": _value(measured)})


def measure(frames: int, groups: int, contexts: int) -> Measured:
    """Compile the units in a size, and count.

    Raises
    ------
    subprocess.CalledProcessError
        the compiler failed.
    """
    with tempfile.TemporaryDirectory() as name:
        sources = Path(name)
        for part in ("common", "small_int", *UNITS):
            shutil.copytree(REPO / "hls" / part, sources / part)
        memories = _count_memories(sources)
        program = sources / "table1"
        sizes = {"FRAMES": frames, "GROUPS": groups, "CONTEXTS": contexts}
        flags = [f"-DLITEMRC_{name}={size}" for name, size in sizes.items()]
        flags += [f"-DMEMORIES={len(memories)}", "-std=c++17", "-O1", f"-I{sources}", "-isystem"]
        source = Path(__file__).with_suffix(".cpp")
        subprocess.run(
            ["g++", *flags, str(sources / "small_int"), str(source), "-o", str(program)], check=True
        )
        output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return _parse(output, memories)


def _count_memories(sources: Path) -> list[tuple[str, str]]:
    """Make the words of the memories count their accesses; return unit and name of each memory."""
    for name, substitutes in _SUBSTITUTES.items():
        text = (sources / name).read_text("utf-8")
        for old, new in substitutes.items():
            if old not in text:
                raise ValueError(f"hls/{name} no longer contains {old!r}")
            text = text.replace(old, new)
        (sources / name).write_text(text, "utf-8")
    memories: list[tuple[str, str]] = []

    def counted(found: re.Match[str], unit: str) -> str:
        memories.append((unit, found[3]))
        return f"CountedWord<{found[1] or found[2]}, {len(memories) - 1}> {found[3]}{found[4]};"

    for unit in UNITS:
        header = sources / unit / f"{unit}.hpp"
        text = header.read_text("utf-8")
        known = re.sub(r"HLS_STATE Context contexts_\[", "Context contexts_[", text)  # registers
        header.write_text(_MEMORY.sub(lambda found, unit=unit: counted(found, unit), known), "utf-8")
    return memories


def _parse(output: str, memories: list[tuple[str, str]]) -> Measured:
    measured = Measured()
    for line in output.splitlines():
        kind, *cells = line.split()
        if kind == "words":
            number, words, bits = map(int, cells)
            measured.bits[memories[number]] = words * bits
            measured.word_bits[memories[number]] = bits
        elif kind == "increments":
            measured.increments = int(cells[0])
        elif kind == "nodes":
            measured.bits[NODES] = int(cells[0]) * measured.word_bits[NODES]
        else:
            unit, *numbers = cells
            memory = memories[int(numbers[-2])]
            if memory[0] != unit:
                continue
            if kind == "hit":
                measured.hits[memory][int(numbers[0])] = int(numbers[2])
            else:
                measured.means[memory] = float(numbers[1])
    return measured


def formula(hits: Mapping[int, int]) -> str:
    """Return accesses as a + b I if that is exact for every group I, else as a range."""
    first, slope = hits[0], hits[1] - hits[0]
    if all(accesses == first + slope * group for group, accesses in hits.items()):
        return f"{first} + {slope} I" if slope else str(first)
    return f"{min(hits.values())} to {max(hits.values())}"


def _sums(measured: Measured, unit: str, names: Sequence[str]) -> dict[int, int]:
    """Return the accesses of a hit to several memories of a unit, by group."""
    groups = measured.hits[unit, names[0]]
    return {group: sum(measured.hits[unit, name][group] for name in names) for group in groups}


def _bits(measured: Measured, unit: str, names: Sequence[str]) -> int:
    return sum(measured.bits[unit, name] for name in names)


def _counter_bits(measured: Measured) -> int:
    return sum(bits for (unit, _), bits in measured.bits.items() if unit == "hit_counters")


def _size(bits: int) -> str:
    return f"{bits / 8 / 1024:,.1f} KiB"


def _all_bits(measured: Measured, unit: str) -> int:
    return _bits(measured, unit, (*LRU_ARRAY[unit], *GROUP_HEADERS[unit])) + _counter_bits(measured)


def _table(measured: Mapping[int, Measured]) -> str:
    columns = [(contexts, unit) for contexts in CONTEXTS for unit in STACKS]
    heads = [f"`{unit}`, {contexts} {'stack' if contexts == 1 else 'stacks'}" for contexts, unit in columns]
    lines = [
        "| component | bytes, paper | example, paper | " + " | ".join(heads) + " |",
        "| --- | --- |" + " ---: |" * (1 + len(columns)),
    ]
    paper = (8 * FRAMES, 4 * GROUPS, 4 * (2 + GROUPS))
    cells = [
        [f"{_bits(measured[contexts], unit, LRU_ARRAY[unit]) / FRAMES:g} bits" for contexts, unit in columns],
        [_size(_bits(measured[contexts], unit, LRU_ARRAY[unit])) for contexts, unit in columns],
        [_size(_bits(measured[contexts], unit, GROUP_HEADERS[unit])) for contexts, unit in columns],
        [_size(_counter_bits(measured[contexts])) for contexts, _ in columns],
        [_size(_all_bits(measured[contexts], unit)) for contexts, unit in columns],
    ]
    rows = [
        ("an entry of LRUArray, a page", "8", "64 bits"),
        ("LRUArray", "8 nps", _size(8 * paper[0])),
        ("GrpHdrs; buckets and their tree", "4 ng", _size(8 * paper[1])),
        ("HitCtrs", "4 (2 + ng)", _size(8 * paper[2])),
        ("sum", "", _size(8 * sum(paper))),
    ]
    lines += ["| " + " | ".join([*row, *ours]) + " |" for row, ours in zip(rows, cells, strict=True)]
    return "\n".join(lines)


def _accesses(measured: Measured) -> str:
    lines = ["| hit in group I | paper | `group_stack` | `bucket_stack` |", "| --- | ---: | ---: | ---: |"]
    parts = [
        ("LRUArray", "7 + 2 I", LRU_ARRAY),
        ("GrpHdrs; buckets and their tree", "2 I", GROUP_HEADERS),
    ]
    for name, paper, memories in parts:
        cells = [formula(_sums(measured, unit, memories[unit])) for unit in STACKS]
        lines.append(f"| {name} | {paper} | " + " | ".join(cells) + " |")
    lines.append(f"| HitCtrs, increments | 2 | {measured.increments} | {measured.increments} |")
    sums = {unit: _sums(measured, unit, (*LRU_ARRAY[unit], *GROUP_HEADERS[unit])) for unit in STACKS}
    for group in (0, GROUPS // 2, GROUPS - 1):
        cells = [f"{sums[unit][group]:,}" if group in sums[unit] else "" for unit in STACKS]
        lines.append(f"| sum without HitCtrs, I = {group} | {7 + 4 * group:,} | " + " | ".join(cells) + " |")
    means = [
        sum(measured.means[unit, name] for name in (*LRU_ARRAY[unit], *GROUP_HEADERS[unit]))
        for unit in STACKS
    ]
    lines.append(
        f"| the same, mean over random pages | {7 + 4 * (GROUPS - 1) / 2:.0f} | "
        + " | ".join(f"{mean:.0f}" for mean in means)
        + " |"
    )
    return "\n".join(lines)


def _value(measured: Mapping[int, Measured]) -> str:
    sizes = [f"{_all_bits(measured[1], unit) / 8 / 1024:,.0f} KiB" for unit in STACKS]
    sums = [formula(_sums(measured[1], unit, (*LRU_ARRAY[unit], *GROUP_HEADERS[unit]))) for unit in STACKS]
    return "; ".join(
        f"`{unit}` {size}, {accesses}" for unit, size, accesses in zip(STACKS, sizes, sums, strict=True)
    )


if __name__ == "__main__":
    main()
