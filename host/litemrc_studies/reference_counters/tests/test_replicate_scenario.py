# SPDX-License-Identifier: BSD-2-Clause
"""The references of `replicate`, by hand for a small scenario, and the mistakes a file can have."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc.errors import UserError
from litemrc.traces.generators.traffic import xorshift32
from litemrc_studies.reference_counters.machine.replicate_scenario import (
    HOME,
    PROCESSOR,
    Group,
    Home,
    ReplicateScenario,
    read_replicate_scenario,
    replicate_references,
)

SHIPPED = Path(__file__).parents[1] / "scenarios/baremetal_replicate.toml"
SMALL = ReplicateScenario(
    page_bytes=1024,
    local_pages=4,
    delay=2,
    update=2,
    seed=1,
    rounds=2,
    references=2,
    home=Home(accesses=1, first_page=1, pages_log2=0, writes=256, gap=0, seed=1),
    groups=(Group(pages=1, weight=1, writes=0), Group(pages=1, weight=3, writes=256)),
)


def test_a_page_is_drawn_by_its_weight():
    """One part of four, three of four: 2^30, and all (the last is rounded down to 32 bits)."""
    assert SMALL.cumulative == [2**30, 2**32 - 1]


def test_two_rounds_by_hand():
    """The states of xorshift32 from 1 on draw page, then word and write; the home's own draw its word."""
    states = [1]
    for _ in range(8):
        states.append(xorshift32(states[-1]))
    mine = [
        (PROCESSOR, int(states[n] >= 2**30), (states[n + 1] >> 8) % 256, states[n] >= 2**30)
        for n in (1, 3, 5, 7)
    ]
    theirs = [(HOME, 1, 2 * (states[n] % 128), True) for n in (1, 2)]
    assert list(replicate_references(SMALL)) == [
        *(mine[0], theirs[0], mine[1]),
        *(mine[2], theirs[1], mine[3]),
    ]


def test_accesses_of_a_round_are_spread_evenly():
    several = replace(SMALL, references=6, home=replace(SMALL.home, accesses=3), rounds=1)
    who = [reference.processor for reference in replicate_references(several)]
    assert who == [PROCESSOR, HOME, PROCESSOR] * 3


def test_the_shipped_scenario_is_what_it_says():
    scenario = read_replicate_scenario(SHIPPED)
    references = list(replicate_references(scenario))
    by_page = Counter(each.page for each in references if each.processor == PROCESSOR)
    assert len(references) == scenario.rounds * (scenario.references + scenario.home.accesses)
    assert scenario.pages <= scenario.local_pages
    total, first = sum(by_page.values()), 0
    for group in scenario.groups:
        share = sum(by_page[page] for page in range(first, first + group.pages)) / total
        assert share == pytest.approx(group.weight / sum(g.weight for g in scenario.groups), abs=0.02)
        first += group.pages


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("delay = 64", "delays = 64", "delays: no such key here"),
        ("weight = 30", "weight = 0", "weight: is 0"),
        ("writes = 256", "writes = -1", "writes: is -1"),
        ("rounds = 64", "", "rounds: is missing"),
    ],
)
def test_mistakes_are_reported_with_their_place(tmp_path, old, new, said):
    text = SHIPPED.read_text()
    assert old in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(UserError, match=said):
        read_replicate_scenario(path)
