# SPDX-License-Identifier: BSD-2-Clause
"""Hand-worked programs: every time and energy with its arithmetic beside it; what is refused."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import place_pages, read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, ChipSimulation, SchemeResult, compare
from litemrc_studies.zhou2004.policies import SCHEMES, Predictive, Scheme, Thresholds

# 1 GHz: a cycle is a nanosecond, so milliwatts x cycles are picojoules. Table 4: 300, 180, 30 and 3 mW; ways
# back of 240 mW x 6 ns = 1,440 pJ, 160 mW x 60 ns = 9,600 pJ, 150 mW x 600 ns = 90,000 pJ; an access is 60
# ns, 18,000 pJ.
MACHINE = {"power": find_power("rdram"), "chip_pages": 1, "clock_hz": 1e9}
PJ, NS = 1e-9, 1e-9  # in mJ, in s


class Given(Trace):
    """References at hand: pages, and times or none."""

    def __init__(self, pages: list[int], times: list[int] | None = None, contexts: list[int] | None = None):
        super().__init__("given")
        self._chunk = Chunk(
            np.array(pages, np.uint64),
            times=None if times is None else np.array(times, np.uint64),
            contexts=None if contexts is None else np.array(contexts, np.uint32),
        )

    def __iter__(self):
        yield self._chunk


def run(scheme: Scheme, pages: list[int], times: list[int], **machine: object) -> SchemeResult:
    trace = Given(pages, times)
    return ChipSimulation(read_references(trace, trace, 100), ChipMachine(**MACHINE | machine)).run(scheme)


def nanoseconds(result: SchemeResult) -> list[list[int]]:
    """Waited in each state, chip by chip."""
    return np.rint(result.waited_s / NS).astype(int).tolist()


THREE = ([7, 7, 9], [0, 100, 1_000])  # pages become numbers 0, 0, 1, and so chips


def test_thresholds_by_hand():
    """Standby at once, nap after 50 ns, powerdown after 500 ns.

    0: chip 0, standby for no time, 6 ns back, access until 66. 166: napping since 116, 60 back, until 286.
    286 + 900 = 1186: chip 1, in powerdown since 500, 600 back, until 1846.
    Chip 0 waits 100 ns (50 standby, 50 nap) and 1560 (50, 450, 1060), chip 1 1186 (50, 450, 686) and 0.
    """
    result = run(Thresholds("by hand", (0, 50, 500)), *THREE)
    assert result.delay_s == pytest.approx(1846 * NS)
    assert nanoseconds(result) == [[0, 100, 500, 1060], [0, 50, 450, 686]]
    assert result.wakes.tolist() == [[0, 1, 1, 0], [0, 0, 0, 1]]
    # 36,000 accesses, 1,440 + 9,600 back, 100 x 180, 500 x 30, 1060 x 3; 18,000, 90,000, 50 x 180, 450 x 30,
    # 686 x 3
    assert result.chip_mj == pytest.approx([83_220 * PJ, 132_558 * PJ])
    assert result.chip_waking_s == pytest.approx([66 * NS, 600 * NS])
    assert result.monitor_mj == 0
    assert result.energy_delay == pytest.approx(215_778 * PJ * 1846 * NS)


def test_static_nap_and_always_on_by_hand():
    """Nap: 60 back, 60 access each: until 120, 340 and 1360; chip 0 waits 0, 100, 1020, chip 1 1240."""
    nap = run(SCHEMES["static-nap"], *THREE)
    assert (nap.delay_s, nanoseconds(nap)) == (pytest.approx(1360 * NS), [[0, 0, 1120, 0], [0, 0, 1240, 0]])
    assert nap.energy_mj == pytest.approx((3 * (18_000 + 9_600) + 2360 * 30) * PJ)
    on = run(SCHEMES["always-on"], *THREE)  # 60, 220, 1180: 300 mW from two chips
    assert on.delay_s == pytest.approx(1180 * NS)
    assert on.energy_mj == pytest.approx(2 * 1180 * 300 * PJ)


def test_the_oracle_by_hand():
    """Accesses at 0, 160 and 1120, each of 60 ns. Chip 0 waits 0, then 100, then until the end at 1180; chip
    1 1120.

    100 ns: active 30,000, standby 94 x 180 + 1,440 = 18,360, nap 40 x 30 + 9,600 = 10,800, powerdown 90,000.
    1120 ns: standby 201,960, nap 1060 x 30 + 9,600 = 41,400, powerdown 520 x 3 + 90,000 = 91,560.
    The last 960 ns, nobody wakes: powerdown, 2,880.
    """
    result = run(SCHEMES["oracle"], *THREE)
    assert result.delay_s == pytest.approx(1180 * NS)
    assert nanoseconds(result) == [[0, 0, 40, 960], [0, 0, 1060, 0]]
    assert result.energy_mj == pytest.approx((3 * 18_000 + 10_800 + 41_400 + 2_880) * PJ)


def test_the_working_set_by_hand():
    """Three chips of a page, nap at once; epochs of 10,000 ns; epsilon 0; pages A B C B B, later A.

    All chips are powered down first. A at 0 (600 + 60, until 660), B at 760 (until 1420), C at 1520 (until
    2180), B at 2280 (nap, until 2400), B at 2500 (until 2620). The epoch's positions are 3 misses, 2 and 1:
    N_mrc = 2, the top two are B and C, so A's chip is powered down at 10,000. A at 2620 + 20,000 = 22,620,
    until 23,280: now the top two are A and B, and C's chip is powered down at 22,620.
    """
    pages, times = [1, 2, 3, 2, 2, 1], [0, 100, 200, 300, 400, 20_400]
    result = run(SCHEMES["mrc-static"], pages, times, epsilon=0.0)
    assert result.mean_working_pages == 2
    assert result.delay_s == pytest.approx(23_280 * NS)
    # A: 10,000 - 660, then until 22,620. B: first 760; 860, 100, 20,660. C: first 1520; 20,440; the last 660.
    assert nanoseconds(result) == [[0, 0, 9_340, 12_620], [0, 0, 21_620, 760], [0, 0, 20_440, 2_180]]
    assert result.wakes.tolist() == [[0, 0, 0, 2], [0, 0, 2, 1], [0, 0, 0, 1]]
    chips = 6 * 18_000 + 2 * 9_600 + 4 * 90_000 + (9_340 + 21_620 + 20_440) * 30 + (12_620 + 760 + 2_180) * 3
    assert result.chip_mj.sum() == pytest.approx(chips * PJ)
    assert result.monitor_mj == pytest.approx(20 * 23_280 * PJ)


def test_epsilon_leaves_out_rare_hits():
    """One of the five accesses above is a hit at the second position: within 0.2, N_mrc is one chip."""
    pages, times = [1, 2, 3, 2, 2, 1], [0, 100, 200, 300, 400, 20_400]
    assert run(SCHEMES["mrc-static"], pages, times, epsilon=0.2).mean_working_pages == 1
    assert run(SCHEMES["mrc-static"], pages, times, epsilon=0.199).mean_working_pages == 2


def test_predictions_by_hand():
    """Two chips in turns, 12 accesses, 1000 ns apart: what has followed three times is awake when it comes.

    A is followed at the accesses 2, 4 and 6, B at 3, 5 and 7, so from the 8th on nobody waits longer than
    standby takes. Before, the chips wake from powerdown (600) once each and five times from nap (idle times
    stay below 15,000 ns, 25 times the way back, and napping at once costs least). 11 gaps, 12 accesses, 2 x
    600 + 5 x 60 + 5 x 6 on the way back. A chip is due 1000 ns behind the access before, give or take an
    eighth: awake 125 ns ahead, in standby so long. Powerdown is only before the first access: 0 of A, 660 +
    1000 of B. The rest of 2 x 13,250 ns is nap.
    """
    result = run(Predictive(), [1, 2] * 6, list(range(0, 12_000, 1000)))
    assert result.delay_s == pytest.approx((11_000 + 12 * 60 + 1_530) * NS)
    assert result.wakes.sum(axis=0).tolist() == [0, 5, 5 + 5, 2]
    nap = 2 * 13_250 - 12 * 60 - (1_200 + 10 * 60 + 30) - 5 * 125 - 1_660
    assert np.sum(nanoseconds(result), axis=0).tolist() == [0, 625, nap, 1_660]
    back = 5 * 1_440 + 10 * 9_600 + 2 * 90_000
    assert result.chip_mj.sum() == pytest.approx((12 * 18_000 + back + 625 * 180 + nap * 30 + 1_660 * 3) * PJ)
    assert result.monitor_mj == pytest.approx(20 * 13_250 * PJ)


def test_the_sweep_finds_the_best_of_its_thresholds():
    rng = np.random.default_rng(1)
    trace = Given(rng.integers(0, 300, 3_000).tolist(), np.cumsum(rng.integers(0, 900, 3_000)).tolist())
    simulation = ChipSimulation(read_references(trace, trace, 100), ChipMachine(find_power("rdram"), 32))
    tuned = simulation.run(SCHEMES["dynamic-tuned"])
    assert tuned.swept
    plain = SCHEMES["dynamic-tuned"]
    others = [
        simulation.run(plain.with_thresholds(nap, down))
        for nap in (0, 60, 300)
        for down in (600, 7_200, 60_000)
    ]
    assert tuned.energy_delay <= min(other.energy_delay for other in others)
    assert simulation.run(SCHEMES["mrc-dynamic-tuned"]).scheme.after_ns == tuned.scheme.after_ns


def test_a_result_is_compared_with_what_its_scheme_builds_on():
    trace = Given(*THREE)
    references = read_references(trace, trace, 100)
    run_ = compare(references, ChipMachine(**MACHINE), [SCHEMES["static-nap"]])
    nap, on = (3 * 27_600 + 2360 * 30) * 1360, 2 * 1180 * 300 * 1180
    assert run_.relative("static-nap") == pytest.approx(nap / on)
    same = compare(references, ChipMachine(**MACHINE), [SCHEMES["static-nap"]], base=SCHEMES["static-nap"])
    assert same.relative("static-nap") == 1


def test_a_trace_without_times_has_the_stated_gap_before_each_reference():
    trace = Given([1, 1])
    result = ChipSimulation(read_references(trace, trace, 500), ChipMachine(**MACHINE)).run(
        SCHEMES["always-on"]
    )
    assert result.delay_s == pytest.approx((2 * 500 + 2 * 60) * NS)


def test_memory_is_the_footprint_in_whole_chips_in_either_placement():
    chip_of, chips = place_pages(130, 64)
    assert (chips, chip_of.tolist()) == (3, [0] * 64 + [1] * 64 + [2] * 2)
    scattered, chips = place_pages(130, 64, "random", seed=3)
    assert chips == 3 and scattered.tolist() != chip_of.tolist()
    assert max(np.bincount(scattered)) <= 64
    assert scattered.tolist() == place_pages(130, 64, "random", seed=3)[0].tolist()
    assert scattered.tolist() != place_pages(130, 64, "random", seed=4)[0].tolist()


def test_several_contexts_are_noted():
    trace = Given([1, 2], contexts=[0, 1])
    read_references(trace, trace, 100)
    assert "contexts" in trace.notes[0]


@pytest.mark.parametrize(
    "bad",
    [
        {"chip_pages": 0},
        {"epoch_cycles": 0},
        {"epsilon": 1.5},
        {"monitor_mw": -1},
        {"clock_hz": 0},
        {"placement": "x"},
    ],
)
def test_an_impossible_machine_is_refused(bad):
    with pytest.raises(UserError, match=next(iter(bad))):
        ChipMachine(**MACHINE | bad)


@pytest.mark.parametrize("after", [(0, -1, 5), (0, 100, 50), (10, 5, None), (None, 0, 10**13)])
def test_impossible_thresholds_are_refused(after):
    with pytest.raises(UserError, match="out of range or order"):
        Thresholds("bad", after)


def test_a_trace_too_long_for_the_clock_is_refused():
    trace = Given([1, 2], [0, 5 * 10**12])  # 5,000 s; 2^62 fs are 4,612
    references = read_references(trace, trace, 100)
    with pytest.raises(UserError, match="lasts 5,000 s"):
        ChipSimulation(references, ChipMachine(**MACHINE))
