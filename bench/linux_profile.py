#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Where the cycles of Linux in the RTL go, by function: tables, and flame graphs.

    python -m bench.linux_profile                all works
    python -m bench.linux_profile page epochs    some of them

The simulator counts the processor's cycles by call stack (litemrc_soc/simulation/profile.cpp); the machine is
the same as without. Each work is run once before it is measured: programs are then in memory.
`build/bench/linux_profile/WORK.folded` has the stacks as flamegraph.pl, inferno and speedscope read them,
`WORK.svg` a picture.
"""

import argparse
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import matplotlib as mpl
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.linux_overhead import (
    AFTER,
    ALLOCATE,
    ALLOCATIONS,
    COMPRESS,
    COMPRESSIONS,
    prepared,
)
from tests.linux.qemu import IMAGES, ROOT

OUT = ROOT / "build/bench/linux_profile"
FOLLOWED = COMPRESSIONS["gzip, followed"]
# Tasks by a function that no other calls.
EPOCH = "litemrc_epoch_thread"
TASKS = {EPOCH: "thread of the interrupt", "litemrc_read_epoch": "litemrcd"}
TICK = "riscv_timer_interrupt"  # comes in whoever runs
# Name: the commands before, and the work. Of epochs the picture shows these tasks only.
WORKS = {
    "page-off": (ALLOCATIONS["page, monitor off"], ALLOCATE),
    "page": (f"{ALLOCATIONS['page, monitor on']}; {ALLOCATIONS['page, followed']}", ALLOCATE),
    "gzip": (FOLLOWED, COMPRESS),
    "epochs": (f"{FOLLOWED}; echo 2097152 >epoch_length", COMPRESS),
    "long-epochs": (f"{FOLLOWED}; echo 16777216 >epoch_length", "; ".join([COMPRESS] * 3)),
}
PROGRAMS = (ROOT / "build/boot/shim.elf", IMAGES / "kernel/vmlinux")
MODULES = ("vexriscv_intc", "litemrc", "tail/litemrc_tail", "ranks/litemrc_ranks")
WORD_BYTES, PAGE_BYTES = 4, 4096
SURE = 16  # instructions of a module, less those of others, that tell where it is
SHOWN = 40  # functions
NARROWEST = 0.002  # of a picture: stacks that are shown

Stack = tuple[str, ...]
"""Functions from a task's root to the one that ran."""


class Symbols:
    """Functions by address; one ends where the next begins."""

    def __init__(self, programs: Iterable[Path]) -> None:
        self._names: dict[int, str] = {}
        entries = [
            self._add(path, lambda elf: dict.fromkeys(range(elf.num_sections()), 0)) for path in programs
        ]
        self._kernel = max(entries)
        self._begins = sorted(self._names)

    def _add(self, path: Path, begins_of: Callable[[ELFFile], dict[int, int]]) -> int:
        """Add a program's functions; return its entry."""
        with path.open("rb") as file:
            elf = ELFFile(file)
            begins = begins_of(elf)
            for symbol in elf.get_section_by_name(".symtab").iter_symbols():
                section, name = symbol["st_shndx"], symbol.name
                if section not in begins or not _is_code(elf.get_section(section)):
                    continue
                if name[:1] not in ("", ".", "$"):
                    self._names[begins[section] + symbol["st_value"]] = name
            return int(elf["e_entry"])

    def add_module(self, path: Path, words: dict[int, int]) -> None:
        """Add a module. The kernel hides its address, so it is where its instructions have run."""
        below = {address: word for address, word in words.items() if address < self._kernel}
        self._add(path, lambda elf: loaded_sections(elf, below))
        self._begins = sorted(self._names)

    def name(self, address: int) -> str:
        """Return the function of an address; of user space: `[user]`."""
        place = bisect(self._begins, address)
        return self._names[self._begins[place - 1]] if place and address else "[user]"


def _is_code(section: Section) -> bool:
    return bool(section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


def loaded_sections(elf: ELFFile, words: dict[int, int]) -> dict[int, int]:
    """Return the address of each section of a module's code, from instructions by address.

    They follow each other as in the file, from the begin of a page (the kernel's layout_sections()).
    """
    code = {
        number: section
        for number, section in enumerate(elf.iter_sections())
        if _is_code(section) and not section.name.startswith(".init")
    }
    changed = {
        (section["sh_info"], relocation["r_offset"] + word)
        for section in elf.iter_sections()
        if isinstance(section, RelocationSection) and section["sh_info"] in code
        for relocation in section.iter_relocations()
        for word in (0, WORD_BYTES)  # a call has two instructions
    }
    offsets, fixed, end = {}, {}, 0
    for number, section in code.items():
        offsets[number] = -(-end // WORD_BYTES) * WORD_BYTES
        end = offsets[number] + section["sh_size"]
        data = section.data()
        for place in range(0, len(data) - WORD_BYTES + 1, WORD_BYTES):
            if (number, place) not in changed:
                fixed[offsets[number] + place] = int.from_bytes(data[place : place + WORD_BYTES], "little")
    pages = {address // PAGE_BYTES * PAGE_BYTES for address in words}
    bases = {page - before for page in pages for before in range(0, end, PAGE_BYTES)}
    same = {}
    for base in bases:
        seen = [words[base + offset] == word for offset, word in fixed.items() if base + offset in words]
        same[base] = 2 * sum(seen) - len(seen)
    base = max(same, key=same.__getitem__, default=0)
    return {number: base + offset for number, offset in offsets.items()} if same.get(base, 0) >= SURE else {}


def symbols_of(words: dict[int, int]) -> Symbols:
    """Return the functions of shim, kernel and modules; `words`: instructions that have run, by address."""
    symbols = Symbols(PROGRAMS)
    for module in MODULES:
        symbols.add_module(IMAGES / f"kernel-modules/{module}.ko", words)
    return symbols


def read_profile(text: str) -> tuple[list[list[str]], dict[int, int]]:
    """Return the lines of a profile, split, and the instructions outside of user space by address."""
    lines = [line.split() for line in text.splitlines()]
    users = {line[1] for line in lines if line[0] == "node" and line[3] == "0"}
    run = [line[2:4] for line in lines if line[0] == "cycles" and line[1] not in users]
    return lines, {int(address, 16): int(word, 16) for address, word in run}


def stacks_of(lines: list[list[str]], symbols: Symbols) -> tuple[Counter[Stack], Counter[str]]:
    """Return the cycles of each stack of a simulator's profile, and the calls of each function."""
    nodes: dict[int, Stack] = {0: ()}
    cycles: Counter[Stack] = Counter()
    calls: Counter[str] = Counter()
    for kind, *words in lines:
        if kind == "node":
            number, parent, entry = int(words[0]), int(words[1]), int(words[2], 16)
            name = symbols.name(entry) if parent else f"task {entry:x}"
            nodes[number] = (*nodes[parent], name)
            calls[name] += int(words[3])
        elif kind == "cycles":
            stack = nodes[int(words[0])]
            leaf = symbols.name(int(words[1], 16))
            # Jumped to from the function that was called, or ended by user space.
            stack = stack if stack[-1] in (leaf, "[user]") else (*stack, leaf)
            cycles[stack] += int(words[3])
    named = {stack[0]: TASKS[name] for stack in cycles for name in TASKS.keys() & set(stack)}
    return Counter({(named.get(task, task), *inner): n for (task, *inner), n in cycles.items()}), calls


def by_function(cycles: Counter[Stack]) -> tuple[Counter[str], Counter[str]]:
    """Return each function's own cycles, and those with all that it called."""
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for stack, count in cycles.items():
        own[stack[-1]] += count
        for name in set(stack):
            whole[name] += count
    return own, whole


def table(cycles: Counter[Stack]) -> Iterator[str]:
    """Yield the lines of a table of functions, by cycles with all that they called."""
    own, whole = by_function(cycles)
    total = cycles.total()
    yield f"{total:14,} cycles        with callees            own"
    for name, count in sorted(whole.items(), key=lambda item: -max(item[1] / 2, own[item[0]]))[:SHOWN]:
        yield f"{name:36} {count:12,} {count / total:6.1%} {own[name]:12,} {own[name] / total:6.1%}"


def draw(ax: Axes, cycles: Counter[Stack], depth: int = 0, left: int = 0, total: int = 0) -> None:
    """Draw the functions of stacks as bars, callers below callees; widths are cycles."""
    total = total or cycles.total()
    groups: dict[str, Counter[Stack]] = {}
    for stack, count in cycles.items():
        if stack:
            groups.setdefault(stack[0], Counter())[stack[1:]] += count
    for name, inner in sorted(groups.items()):
        width = inner.total()
        if width >= NARROWEST * total:
            ours = name.startswith("litemrc") or "liteuart" in name
            ax.barh(depth, width, 1, left, color="C1" if ours else "C0", edgecolor="white", linewidth=0.3)
            if width >= 0.012 * total:
                shown = name[: int(width / total * 240)]
                ax.text(left + width / 2, depth, shown, ha="center", va="center", fontsize=5, clip_on=True)
            draw(ax, inner, depth + 1, left, total)
        left += width


def picture(cycles: Counter[Stack], path: Path, title: str) -> None:
    """Write a flame graph."""
    figure = Figure(figsize=(11, 6), layout="constrained")
    ax = figure.add_subplot()
    draw(ax, cycles)
    ax.set(title=title, xlabel="million cycles", ylabel="depth of calls", xlim=(0, cycles.total()))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g}")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def main() -> None:
    """Run the works one after the other, and write what each took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("work", nargs="*", help=f"one of {', '.join(WORKS)}; without: all")
    names = parser.parse_args().work or list(WORKS)
    mpl.use("svg")
    OUT.mkdir(parents=True, exist_ok=True)
    with prepared() as (simulator, console):
        words: dict[int, int] = {}
        for name in names:
            before, work = WORKS[name]
            console.check(before)
            console.check(work)
            simulator.begin_profile()
            printed = console.check(work).strip()
            lines, run = read_profile(simulator.end_profile().read_text())
            words |= run
            cycles, calls = stacks_of(lines, symbols_of(words))
            console.check(AFTER)
            print(f"\n{name}: {printed}", *table(cycles), sep="\n", flush=True)
            folded = (f"{';'.join(stack)} {count}\n" for stack, count in cycles.items())
            (OUT / f"{name}.folded").write_text("".join(folded))
            if epochs := calls[EPOCH]:
                cycles = Counter({stack: n for stack, n in cycles.items() if stack[0] in TASKS.values()})
                ticks = sum(n for stack, n in cycles.items() if TICK in stack)
                each = (cycles.total() - ticks) / epochs
                print(f"{epochs} epochs, {each:,.0f} cycles each, and {ticks:,} of the timer's ticks")
            picture(cycles, OUT / f"{name}.svg", f"{name}: cycles by call stack")


if __name__ == "__main__":
    main()
