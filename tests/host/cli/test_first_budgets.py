# SPDX-License-Identifier: BSD-2-Clause
"""The budgets with which `litemrc govern` begins on Linux, and what it lends, by arithmetic."""

from types import SimpleNamespace

import pytest
from litemrc.cli.device.govern_cgroups import Cgroup
from litemrc.cli.device.govern_decisions import GovernDecisions, Limits, _first_budgets
from litemrc.cli.shared.memory import MemorySize
from litemrc.device.contexts import Budget
from litemrc.epochs.columns import joined_rows
from litemrc.policies.allocation.decision import Decision

from tests.host.epoch_rows import row

HELLO = SimpleNamespace(
    **{"page_shift": 12, "pages": 8192, "groups": 64, "frames": 8192, "engine": "bucket_stack"},
    **{"contexts": 8, "recent_pages": 4, "system": "Linux"},
)
PAGES = {pages: MemorySize(str(pages), pages, in_bytes=False) for pages in (128, 512)}


@pytest.mark.parametrize(
    ("memory", "used", "most", "budgets"),
    [
        (1024, [5, 200], {}, [384, 512]),  # groups of 128 pages: 1 and 2 in use, 5 idle, 2 more each
        (1024, [5, 200], {2: 256}, [384, 256]),  # the cgroups above allow the second no more
        (512, [0, 0], {}, [256, 256]),
        (512, [300, 500], {}, [384, 512]),  # more than the memory: as they are, until the first decision
    ],
)
def test_idle_memory_is_divided_equally(memory, used, most, budgets):
    cgroups = {
        context: Cgroup(f"/{context}", 1.0, context, Budget(context, None, pages))
        for context, pages in enumerate(used, 1)
    }
    assert list(_first_budgets(cgroups, most, memory, 128).values()) == budgets


@pytest.mark.parametrize(
    ("evicted", "budgets"),
    [
        ({1: 123, 2: 381}, {1: 384, 2: 128}),  # 200 + 123 and 230 + 381 pages do not fit: nothing is idle
        ({1: 0, 2: 0}, {1: 224, 2: 288}),  # with 8 to spare 224 and 240; the second has reached its budget
    ],
)
def test_nothing_is_lent_where_pages_were_evicted_for_lack_of_memory(evicted, budgets):
    """As in zhou2004/scenarios/linux_pair.toml in the RTL, where the memory of INTR was lent to LINEAR."""
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    rows = [row_of(1, context, resident, evicted[context]) for context, resident in ((1, 200), (2, 230))]
    decisions.decide(HELLO, joined_rows(rows), {}, {1, 2}, 1e6)
    decision = Decision({1: 384, 2: 128}, False, {}, 0.0, 1, {})
    assert decisions.in_force(HELLO, decision) == budgets


def decided(decisions, rows, engine="bucket_stack"):
    hello = SimpleNamespace(**vars(HELLO) | {"engine": engine})
    decision = decisions.decide(hello, joined_rows(rows), {}, {1, 2}, 1e6)
    return decision, decisions.in_force(hello, Decision({1: 256, 2: 256}, False, {}, 0.0, 1, {}))


def row_of(epoch, context, resident, evicted, hits=(), misses=0):
    hits = (*hits, *(0,) * (64 - len(hits)))
    accesses = sum(hits) + misses
    return row(
        epoch=epoch, context=context, accesses=accesses, misses=misses, hits=hits, resident=resident,
        evicted=evicted,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("evicted", "lent"),
    [
        (0, {1: 128, 2: 384}),  # 108 pages, of which 64 may be charged ahead; the second will be at 331
        (64, {1: 128, 2: 384}),  # as Linux takes from one that grows, once
        (65, {1: 256, 2: 256}),
    ],
)
def test_nothing_is_lent_while_pages_are_evicted(evicted, lent):
    """The first epochs of linux_pair.toml in the RTL: INTR was lent to LINEAR as it grew."""
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    decided(decisions, [row_of(1, 1, 51, 0), row_of(1, 2, 127, 0)])
    _, budgets = decided(decisions, [row_of(2, 1, 108, 0), row_of(2, 2, 229 - evicted, evicted)])
    assert budgets == lent


@pytest.mark.parametrize(
    ("intr", "budgets"),
    [
        ([331] * 8, {1: 352, 2: 160}),  # 331 and 8 to spare are 22 parts of 16
        ([331, 332, 395, 395] * 2, {1: 352, 2: 160}),  # 64 charged ahead at times
        ([317, 320, 321, 321, 325, 327, 327, 329], {1: 352, 2: 160}),  # 8 pages in half the epochs; 333 + 8
        ([317, 320, 321, 321, 326, 327, 327, 329], {1: 384, 2: 128}),  # 9: it grows
        ([331] * 7, {1: 384, 2: 128}),  # not known for 8 epochs
    ],
)
def test_a_program_that_does_not_grow_lends_while_another_evicts(intr, budgets):
    """INTR beside sort in the RTL: its 320 pages need three groups, of which sort had nothing."""
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    for epoch, pages in enumerate(intr):
        rows = [row_of(epoch, 1, pages, 0), row_of(epoch, 2, 130, 20 * epoch)]
        decisions.decide(HELLO, joined_rows(rows), {}, {1, 2}, 1e6)
    decision = Decision({1: 384, 2: 128}, False, {}, 0.0, 1, {})
    assert decisions.in_force(HELLO, decision) == budgets


def test_a_program_that_grows_is_not_cut_to_what_it_holds():
    """153 + 45 and 347 + 118 pages do not fit into 512, so each keeps its budget: in the RTL INTR was cut."""
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    for epoch, (intr, linear) in enumerate([(51, 127), (108, 229), (153, 347)]):
        _, budgets = decided(decisions, [row_of(epoch, 1, intr, 0), row_of(epoch, 2, linear, 0)])
    assert budgets == {1: 256, 2: 256}


@pytest.mark.parametrize(("engine", "falls_at"), [("bucket_stack", [128]), ("os", [128, 384])])
def test_a_loop_whose_pages_are_evicted_needs_no_memory_for_that(engine, falls_at):
    """LINEAR's loop of 640 pages, as in the RTL: its only deep hits are the kernel's, one an eviction.

    The tracker without hardware does not see the kernel, so there the hits are the program's.
    """
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    for epoch in range(1, 9):
        intr = row_of(epoch, 1, 250, 0, (9900, 60), 10)
        evictions = 35 if epoch > 1 else 0
        linear = row_of(epoch, 2, 250, 35 * (epoch - 1), (30000, 0, evictions), 35)
        decision, _ = decided(decisions, [intr, linear], engine)
    assert decision.reasons[1].target == 256 and decision.reasons[2].target <= 256
    described = decisions.described(decision, joined_rows([intr, linear]), {1: 256, 2: 256}, {1, 2})
    assert [pages for pages, _ in described["2"]["curve"]] == falls_at


def test_evictions_of_a_program_that_sleeps_are_forgotten():
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    decided(decisions, [row_of(1, 1, 100, 0), row_of(1, 2, 240, 0)])
    _, budgets = decided(decisions, [row_of(2, 1, 30, 70), row_of(2, 2, 250, 0)])
    assert budgets == {1: 256, 2: 256}
    for epoch in range(3, 11):
        _, budgets = decided(decisions, [row_of(epoch, 2, 300, 0)])
    assert budgets[2] > 256


def test_a_device_that_was_restarted_is_governed_anew():
    """Its epochs count from 0 again: those before have no successor, and their evictions do not count."""
    decisions = GovernDecisions(Limits(PAGES[512], PAGES[128]))
    decisions.govern([Cgroup(f"/{context}", 1.0, context, Budget(context, None, 0)) for context in (1, 2)])
    decided(decisions, [row_of(1, 1, 100, 0), row_of(1, 2, 240, 0)])
    decided(decisions, [row_of(2, 1, 30, 70), row_of(2, 2, 250, 0)])
    _, budgets = decided(decisions, [row_of(1, 1, 10, 0), row_of(1, 2, 250, 0)])
    assert budgets == {1: 128, 2: 384}
