# SPDX-License-Identifier: BSD-2-Clause
"""Placement by counts: its plan, and pages that the machine moves by it."""

from types import SimpleNamespace

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError
from litemrc_studies.jantz2013.machine import events, placing
from litemrc_studies.jantz2013.machine.machine import Configuration, Costs, Scrambler, TrayMachine
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.machine.placing import Placer, Placing
from litemrc_studies.jantz2013.policies.intents import parse_intents
from litemrc_studies.jantz2013.policies.placement import Move, PlacementParameters, Plan, hottest, plan
from litemrc_studies.jantz2013.policies.trays import Tray
from litemrc_studies.jantz2013.tests.tray_machines import TRAY_PAGES, small

FREE = PlacementParameters(epsilon=0.0, page_nj=0.0)
SECOND = 533_333_000  # clocks


def trays(free, asleep=()):
    return [Tray(number, 0, 100, pages, 100 - pages, number in asleep) for number, pages in enumerate(free)]


def moved(chosen):
    return [(move.origin, move.target, move.pages.tolist()) for move in chosen.moves]


def curve_within(pages, accesses=100):
    """All reuse within n pages."""
    return HitCounters.of([0] * (pages - 1) + [accesses], 0, 1).curve()


def test_hottest_are_those_with_most_accesses_and_none_without():
    assert hottest(np.array([3, 0, 9, 3]), 3).tolist() == [2, 0, 3]
    assert hottest(np.array([3, 0, 9, 3]), 9).tolist() == [2, 0, 3]
    assert hottest(np.array([3, 0]), 0).tolist() == []


def test_pages_of_the_working_set_are_gathered_where_most_of_them_are():
    counts = np.array([9, 8, 7, 6, 5, 1])
    tray_of = np.array([0, 1, 1, 2, 1, 0])
    chosen = plan(curve_within(5), counts, tray_of, trays([0, 9, 9]), FREE)
    assert (chosen.working_pages, chosen.hot_trays) == (5, (1,))
    # One hot page is on tray 0, one on 2; page 5 is not of the working set.
    assert moved(chosen) == [(0, 1, [0]), (2, 1, [3])]


def test_two_trays_are_kept_where_one_has_no_room():
    """Five pages; tray 1 holds 3 of them and has room for 1, no other has more: a second one is kept, too."""
    tray_of = np.array([0, 1, 1, 2, 1])
    chosen = plan(curve_within(5), np.full(5, 7), tray_of, trays([0, 1, 2]), FREE)
    assert chosen.hot_trays == (1, 0)
    assert moved(chosen) == [(2, 1, [3])]


def test_a_tray_with_room_for_all_is_rather_kept_than_two_that_have_more():
    tray_of = np.array([0, 1, 1, 2, 1])
    chosen = plan(curve_within(5), np.full(5, 7), tray_of, trays([0, 1, 9]), FREE)
    assert moved(chosen) == [(0, 2, [0]), (1, 2, [1, 2, 4])]


def test_a_reserve_is_left_free():
    tray_of = np.array([0, 1, 1])
    kept = PlacementParameters(epsilon=0.0, page_nj=0.0, reserve_pages=5)
    assert moved(plan(curve_within(3), np.full(3, 7), tray_of, trays([5, 6]), kept)) == [(0, 1, [0])]
    assert moved(plan(curve_within(3), np.full(3, 7), tray_of, trays([5, 5]), kept)) == []


def test_a_tray_with_less_than_the_reserve_has_no_room():
    """Tray 1 holds 2 of 3 hot pages and has 3 pages of the reserve of 5; only tray 0 has room for all."""
    kept = PlacementParameters(epsilon=0.0, page_nj=0.0, reserve_pages=5)
    chosen = plan(curve_within(3), np.full(3, 7), np.array([0, 1, 1]), trays([9, 3]), kept)
    assert (chosen.hot_trays, moved(chosen)) == ((0,), [(1, 0, [1, 2])])


def test_of_equal_trays_the_first_is_kept_and_emptied_first():
    chosen = plan(curve_within(4), np.full(4, 7), np.array([0, 1, 2, 3]), trays([9, 9, 9, 9]), FREE)
    assert moved(chosen) == [(1, 0, [1]), (2, 0, [2]), (3, 0, [3])]


def test_a_move_is_cut_where_the_target_is_full_and_goes_on_to_the_next():
    """Ten hot pages: trays 0 and 1 hold 4 and 3 and have room for 1 and 2; tray 2 holds 3."""
    chosen = plan(curve_within(10), np.full(10, 7), np.repeat([0, 1, 2], [4, 3, 3]), trays([1, 2, 0]), FREE)
    assert chosen.hot_trays == (0, 1)
    assert moved(chosen) == [(2, 0, [7]), (2, 1, [8, 9])]


def test_accesses_that_all_miss_have_no_working_set():
    streaming = HitCounters.of([0, 0], 9, 1).curve()
    assert plan(streaming, np.array([9]), np.array([0]), trays([9]), FREE).working_pages == 0


def test_sleeping_trays_are_left_asleep():
    tray_of = np.array([0, 0, 1])
    chosen = plan(curve_within(3), np.full(3, 7), tray_of, trays([9, 9], asleep={0}), FREE)
    assert moved(chosen) == [(0, 1, [0, 1])]


def test_copies_that_do_not_pay_are_not_made():
    """Two pages of 5 mJ each against 1 mW over 9 s: 9 mJ."""
    tray_of = np.array([0, 0, 1, 1, 1])
    dear = PlacementParameters(epsilon=0.0, page_nj=5e6, saved_mw=1.0, horizon_s=9.0)
    assert moved(plan(curve_within(5), np.full(5, 7), tray_of, trays([9, 9]), dear)) == []
    pays = PlacementParameters(epsilon=0.0, page_nj=5e6, saved_mw=1.0, horizon_s=10.0)
    assert moved(plan(curve_within(5), np.full(5, 7), tray_of, trays([9, 9]), pays)) == [(0, 1, [0, 1])]


def test_the_budget_goes_to_the_tray_that_is_emptied_first():
    tray_of = np.array([0, 0, 1, 1, 1, 2])
    tight = PlacementParameters(epsilon=0.0, page_nj=0.0, budget_pages=2)
    chosen = plan(curve_within(6), np.array([4, 5, 6, 6, 6, 1]), tray_of, trays([9, 9, 9]), tight)
    assert moved(chosen) == [(2, 1, [5]), (0, 1, [1])]


@pytest.mark.parametrize("hits", [[0], [5]])
def test_without_accesses_nothing_is_decided(hits):
    chosen = plan(HitCounters.of([0], 0, 1).curve(), np.array(hits) * 0, np.array([0]), trays([9]), FREE)
    assert (chosen.working_pages, chosen.hot_trays, chosen.moves) == (0, (), ())


@pytest.mark.parametrize(
    "wrong", [{"epsilon": -1}, {"budget_pages": 0}, {"saved_mw": 0}, {"horizon_s": np.inf}]
)
def test_parameters_that_cannot_be_are_refused(wrong):
    with pytest.raises(UserError, match=next(iter(wrong))):
        PlacementParameters(**wrong)


class Ranks:
    """Stands for the ranks: its time is set by hand."""

    def __init__(self):
        self.now = 0

    def all_asleep(self):
        return [False, False, False, True]


class Machine:
    """Memory of 4,096 pages under migration by a plan at hand; records what the policy is told."""

    def __init__(self, monkeypatch, moves=()):
        self.memory, self.ranks, self.asked, self.visits = Memory(small(), "tray"), Ranks(), [], []
        self.placing = Placing(Placer(1.0), self.memory, self.ranks, lambda *told: self.visits.append(told))

        def plan(*told):
            self.asked.append(told)
            return Plan(0, (), tuple(moves))

        monkeypatch.setattr(placing, "plan", plan)

    def touch(self, process, pages):
        frames, _, _ = self.memory.touch(process, np.array(pages))
        self.placing.visited(frames)


def curve_of(references, begin):
    """Of the references from `begin` on, by their positions in a plain LRU stack of all; 16 pages a group."""
    stack, hits, misses = [], [0] * 256, 0
    for number, each in enumerate(references):
        position = stack.index(each) if each in stack else None
        if position is not None:
            del stack[position]
        stack.insert(0, each)
        if number >= begin:
            misses += position is None
            if position is not None:
                hits[position // 16] += 1
    return HitCounters.of(hits, misses, 16).curve()


def test_the_policy_receives_the_curve_and_counts_of_every_epoch(monkeypatch):
    machine = Machine(monkeypatch)
    rng = np.random.default_rng(1)
    touched, first = [], 0
    for turn, now in enumerate((1, SECOND - 1, SECOND, SECOND + 5, 2 * SECOND, 2 * SECOND + 1, 9 * SECOND)):
        process, pages = 1 + turn % 2, rng.integers(0, 100, 60).tolist()
        machine.ranks.now = now
        touched += [(process, page) for page in pages]
        machine.touch(process, pages)
        due = now in (SECOND, 2 * SECOND, 9 * SECOND)
        assert len(machine.asked) == sum(each <= now for each in (SECOND, 2 * SECOND, 9 * SECOND))
        if due:
            curve, counts, tray_of, trays, parameters = machine.asked[-1]
            expected = curve_of(touched, first)
            assert curve.sizes_pages.tolist() == expected.sizes_pages.tolist()
            assert curve.miss_ratio.tolist() == expected.miss_ratio.tolist()
            epoch = touched[first:]
            assert sorted(counts.tolist()) == sorted(epoch.count(each) for each in set(epoch))
            assert tray_of.size == counts.size
            assert [tray.asleep for tray in trays] == [False, False, False, True]
            assert parameters == Placer().parameters
            first = len(touched)
    assert len(machine.asked) == 3


def test_what_is_used_again_behind_more_pages_than_memory_has_is_a_miss(monkeypatch):
    """5,000 pages round and round in 4,096."""
    machine = Machine(monkeypatch)
    for begin in range(0, 10_000, 500):
        machine.touch(1, np.arange(begin, begin + 500) % 5000)
    machine.ranks.now = SECOND
    machine.touch(1, [0, 1, 0])
    curve = machine.asked[0][0]
    assert (curve.accesses, curve.misses) == (10_003, 10_002)


def test_only_pages_that_nobody_binds_and_somebody_has_may_move(monkeypatch):
    machine = Machine(monkeypatch)
    machine.memory.guidance.nice.limit(2, (0, 1))
    machine.touch(1, [0, 1])
    machine.touch(2, [0, 1, 2])
    machine.touch(3, [0, 0])
    machine.memory.exit(3)
    machine.ranks.now = SECOND
    machine.touch(1, [1, 1])
    _, counts, tray_of, *_ = machine.asked[0]
    assert sorted(counts.tolist()) == [1, 3]
    assert len(set(tray_of.tolist())) == 1


def test_pages_are_read_at_their_origin_and_written_at_their_target(monkeypatch):
    """64 lines each, at 4 GB/s 16 ns a line; the second move finds a full tray, so nothing is copied."""
    machine = Machine(monkeypatch, [Move(np.array([2, 0]), 0, 3), Move(np.array([1]), 0, 2)])
    machine.touch(1, np.arange(3))
    origin = machine.memory.space(1).frame[:3].copy()
    machine.memory.guidance.nice.limit(2, (2,))
    machine.memory.touch(2, np.arange(TRAY_PAGES))
    machine.ranks.now = SECOND
    machine.touch(1, [0])
    ((frames, reads, writes, line_ns, gap_ns),) = machine.visits
    target = machine.memory.space(1).frame[:3]
    assert frames.tolist() == [origin[2], target[2], origin[0], target[0]]
    assert (reads.tolist(), writes.tolist()) == ([64, 0, 64, 0], [0, 64, 0, 64])
    assert (line_ns, gap_ns) == (16, 0)
    assert (target[[0, 2]] // TRAY_PAGES).tolist() == [3, 3] and target[1] == origin[1]
    assert machine.memory.migrated == 2


def machine_of(**given):
    return TrayMachine(Configuration("x", **{"hardware": small()} | given), Costs(0.0, 0.0))


def served(machine, frames, reads, writes, line_ns=5.0, gap_ns=0.0):
    """What the ranks are asked for such visits."""
    told = []
    machine.ranks = SimpleNamespace(visit=lambda *each: told.append(each), now=0)
    machine.visit(np.array(frames), reads, writes, line_ns, gap_ns)
    ((gap, busy, rank, *lines),) = told
    assert lines == [reads, writes]
    return np.broadcast_to(gap, len(frames)).tolist(), busy.tolist(), rank


def test_visits_take_clocks_of_the_memory_and_one_at_least():
    """At 533.333 MHz 10 lines of 3 ns are 16 clocks, 100 ns of computing 53."""
    gap, busy, rank = served(machine_of(), [0, 1023, 1024, 4095], 8, 2, 3.0, 100.0)
    assert (gap, rank.tolist()) == ([53] * 4, [0, 0, 1, 3])
    assert np.broadcast_to(busy, 4).tolist() == [16] * 4
    _, busy, _ = served(machine_of(), [0], 1, 0, 0.01)
    assert busy == 1


def test_whole_interleaved_pages_begin_in_the_first_rank_and_few_lines_anywhere():
    machine = machine_of(hardware=small(mapping="interleaved"), allocator="buddy")
    frames = np.zeros(400, np.int64)
    assert not served(machine, frames, 60, 4)[2].any()
    anywhere = np.bincount(served(machine, frames, 60, 3)[2], minlength=4)
    assert anywhere.size == 4 and anywhere.min() > 60  # 100 each, deviation 9


def test_progress_is_seconds_simulated_and_samples_have_the_longest_phase():
    """Samples of 1 ms: 0.3 of nothing and 0.7 of a; 0.4 of a and 0.6 of b; a whole one of b; b, and c."""
    clock = small().clock_hz
    program = [
        *(events.Pause(0.3e6), events.Phase("a"), events.Pause(1.1e6)),
        *(events.Phase("b"), events.Pause(2.2e6), events.Phase("c"), events.Pause(0.3e6)),
    ]
    told = []
    result = machine_of().run(program, told.append)
    passed = [0.3, 0.3, 1.4, 1.4, 3.6, 3.6, 3.9]
    assert [1e3 * seconds for seconds in told] == pytest.approx(passed, rel=1e-4)
    assert told[-1] == result.seconds
    assert result.phases == ("a", "b", "b", "b")
    assert result.sample_s.tolist() == pytest.approx([1e-3, 1e-3, 1e-3, 0.9e-3], rel=1e-4)
    assert (result.sample_s.sum() * clock).round() == round(result.seconds * clock)
    assert result.free_pages.tolist() == [4096] * 4


def test_a_machine_is_scrambled_by_its_seed():
    frames = []
    for seed in (1, 1, 2):
        given = {} if seed == 1 and frames else {"seed": seed}
        machine = TrayMachine(Configuration("x", small()), None, Scrambler(2000, 1), **given)
        frames.append(machine.memory.touch(1, np.arange(50))[0].tolist())
    assert frames[0] == frames[1] != frames[2]


def test_guidance_is_followed_by_trays_only_and_only_if_wanted():
    intents = parse_intents("INTENT MEM-INTENSITY\nMEM-INTENSITY COLD 1\n")
    program = [
        *(events.Nice(0, (0, 1)), events.Intend(0, intents, 100), events.Paint(0, 0, 50, "COLD")),
        *(events.Fork(0, 1), events.Visits(1, np.arange(50), 1, 0, 5.0)),
    ]
    used = {}
    for allocator, guidance in (("tray", True), ("tray", False), ("buddy", False), ("buddy", True)):
        result = machine_of(allocator=allocator, guidance=guidance).run(program)
        used[allocator, guidance] = [tray.used_pages for tray in result.trays]
        assert result.outside == 0
    assert used["tray", True] == [0, 50, 0, 0]  # of its trays, cold pages fill the upper one
    assert used["tray", False] == [50, 0, 0, 0]
    assert used["buddy", False] == used["buddy", True]


def test_pages_outside_of_a_limit_are_counted_at_exit_and_at_the_end():
    for end in ([], [events.Exit(0)], [events.Exit(1)]):
        told = [events.Visits(process, np.arange(40), 1, 0, 5.0) for process in (0, 1)]
        limits = [events.Nice(process, (3,)) for process in (0, 1)]
        assert machine_of().run([*told, *limits, *end]).outside == 80
