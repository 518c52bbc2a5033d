# SPDX-License-Identifier: BSD-2-Clause
"""The references of the firmware's workload `replicate`, computed from its scenario."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple

from litemrc.files.toml_table import TomlTable
from litemrc.traces.generators.traffic import Traffic, traffic_stream, xorshift32

HOME, PROCESSOR = 0, 1  # nodes of the simulated machine; the other master is home of all pages
WORD_BYTES = 4
_PORT_BYTES = 8  # width of the traffic generator's word


class Reference(NamedTuple):
    """A reference of a processor to a word of a page."""

    processor: int
    page: int
    word: int
    write: bool


@dataclass(frozen=True)
class Group:
    """Pages with equal use: relative weight of the group, and writes among 256 references."""

    pages: int
    weight: int
    writes: int


@dataclass(frozen=True)
class Home:
    """The other master: `accesses` per round to random pages from `first_page` on."""

    accesses: int
    first_page: int
    pages_log2: int
    writes: int
    gap: int
    seed: int


@dataclass(frozen=True)
class ReplicateScenario:
    """The contents of a scenario file; sizes in bytes and pages, counts per round."""

    page_bytes: int
    local_pages: int
    delay: int
    update: int
    seed: int
    rounds: int
    references: int
    home: Home
    groups: tuple[Group, ...]

    @property
    def pages(self) -> int:
        return sum(group.pages for group in self.groups)

    @property
    def page_writes(self) -> list[int]:
        """Return the writes among 256 references to each page."""
        return [group.writes for group in self.groups for _ in range(group.pages)]

    @property
    def cumulative(self) -> list[int]:
        """Return for each page the 32-bit random number below which it, or a previous page, is drawn."""
        weights = [group.weight / group.pages for group in self.groups for _ in range(group.pages)]
        return [min(round(sum_ / sum(weights) * 2**32), 2**32 - 1) for sum_ in accumulate(weights)]


def read_replicate_scenario(path: str | Path) -> ReplicateScenario:
    """Read the scenario in a file.

    Raises
    ------
    UserError
        a missing file, or a wrong or missing key.
    """
    table = TomlTable.read(path)
    numbers = ("page_bytes", "local_pages", "delay", "update", "seed", "rounds", "references")
    table.check_keys(("title", *numbers, "home", "group"))
    home = table.table("home")
    home.check_keys(Home.__dataclass_fields__)
    groups = table.tables("group")
    for group in groups:
        group.check_keys(("name", *Group.__dataclass_fields__))
    return ReplicateScenario(
        **{name: table.count(name, highest=2**32 - 1) for name in numbers},
        home=Home(**{name: home.count(name, lowest=0) for name in Home.__dataclass_fields__}),
        groups=tuple(
            Group(group.count("pages"), group.count("weight"), group.count("writes", lowest=0, highest=256))
            for group in groups
        ),
    )


def replicate_references(scenario: ReplicateScenario, repeats: int = 1) -> Iterator[Reference]:
    """Yield all references in order; within a round, both masters are evenly interleaved.

    The hardware interleaves a round by its cycles; the order of rounds is the same.
    """
    processor, home = _processor(scenario), _home(scenario)
    for _ in range(repeats * scenario.rounds):
        mine = list(islice(processor, scenario.references))
        theirs = list(islice(home, scenario.home.accesses))
        places = [(number / len(mine), reference) for number, reference in enumerate(mine)]
        places += [(number / len(theirs), reference) for number, reference in enumerate(theirs)]
        yield from (reference for _, reference in sorted(places, key=lambda place: place[0]))


def _processor(scenario: ReplicateScenario) -> Iterator[Reference]:
    """Yield the references of draw_page() and refer() in firmware/baremetal/workloads/replicate.c."""
    cumulative, writes = scenario.cumulative, scenario.page_writes
    words, state = scenario.page_bytes // WORD_BYTES, scenario.seed
    while True:
        wanted = state = xorshift32(state)
        page = next((page for page, up_to in enumerate(cumulative) if up_to > wanted), scenario.pages - 1)
        state = xorshift32(state)
        yield Reference(PROCESSOR, page, (state >> 8) % words, state >> 24 < writes[page])


def _home(scenario: ReplicateScenario) -> Iterator[Reference]:
    home, port_words = scenario.home, scenario.page_bytes // _PORT_BYTES
    words_log2 = home.pages_log2 + port_words.bit_length() - 1
    base = home.first_page * port_words
    for word, write in traffic_stream(Traffic(base, words_log2, True, 1, home.writes, home.seed)):
        page, offset = divmod(word, port_words)
        yield Reference(HOME, page, offset * _PORT_BYTES // WORD_BYTES, write)
