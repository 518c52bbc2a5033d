"""The references of the firmware's workload `replicate`, told from its scenario before it runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple

from litemrc.files.toml_table import TomlTable
from litemrc.traces.generators.traffic import Traffic, traffic_stream, xorshift32

HOME, PROCESSOR = 0, 1  # of the machine that the simulator knows: all pages are at home with the other master
WORD_BYTES = 4
_PORT_BYTES = 8  # of the traffic generator's word


class Reference(NamedTuple):
    """A line of a trace: who, which word of which page."""

    processor: int
    page: int
    word: int
    write: bool


@dataclass(frozen=True)
class Group:
    """Pages that are referred to alike: `weight` of them all, `writes` of 256 references."""

    pages: int
    weight: int
    writes: int


@dataclass(frozen=True)
class Home:
    """What the memory's other master does: `accesses` a round to pages from `first_page` on, at random."""

    accesses: int
    first_page: int
    pages_log2: int
    writes: int
    gap: int
    seed: int


@dataclass(frozen=True)
class ReplicateScenario:
    """What a scenario file says; sizes in bytes and pages, counts a round."""

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
        """How many of 256 references to each page are writes."""
        return [group.writes for group in self.groups for _ in range(group.pages)]

    @property
    def cumulative(self) -> list[int]:
        """For each page, the 32-bit random numbers below which it or one before it is drawn."""
        weights = [group.weight / group.pages for group in self.groups for _ in range(group.pages)]
        return [min(round(sum_ / sum(weights) * 2**32), 2**32 - 1) for sum_ in accumulate(weights)]


def read_replicate_scenario(path: str | Path) -> ReplicateScenario:
    """The scenario in a file.

    Raises:
        UserError: no such file, or a key that is wrong or missing.
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
    """All references in order: in each round those of either master evenly among the other's.

    Within a round the hardware's order is that of its clocks; across rounds it is this one.
    """
    processor, home = _processor(scenario), _home(scenario)
    for _ in range(repeats * scenario.rounds):
        mine = list(islice(processor, scenario.references))
        theirs = list(islice(home, scenario.home.accesses))
        places = [(number / len(mine), reference) for number, reference in enumerate(mine)]
        places += [(number / len(theirs), reference) for number, reference in enumerate(theirs)]
        yield from (reference for _, reference in sorted(places, key=lambda place: place[0]))


def _processor(scenario: ReplicateScenario) -> Iterator[Reference]:
    """As draw_page() and refer() of firmware/baremetal/workloads/replicate.c."""
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
