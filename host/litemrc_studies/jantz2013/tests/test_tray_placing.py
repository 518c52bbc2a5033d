"""Page migration on the tray machine: what the policy is told and what is copied; visits and phases."""

from types import SimpleNamespace

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc_studies.jantz2013.machine import events, placing
from litemrc_studies.jantz2013.machine.machine import Configuration, Costs, Scrambler, TrayMachine
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.machine.placing import Placer, Placing
from litemrc_studies.jantz2013.policies.intents import parse_intents
from litemrc_studies.jantz2013.policies.placement import Move, Plan
from litemrc_studies.jantz2013.tests.tray_machines import TRAY_PAGES, small

SECOND = 533_333_000  # clocks


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
