# SPDX-License-Identifier: BSD-2-Clause
"""Chips that sleep: the native core does what the golden models do, and nothing is below the oracle."""

from pathlib import Path
from types import ModuleType

import litemrc_studies.zhou2004.golden.chip_energy as golden
import litemrc_studies.zhou2004.golden.chip_prediction as golden_prediction
import numpy as np
import pytest
from litemrc_studies import _core as core
from litemrc_studies.zhou2004.golden.chip_energy import ChipPower
from litemrc_studies.zhou2004.tests.chip_programs import NS, ODD, RDRAM, Program, flat, native_power, program

from tests.mutation import mutated_module

POWERS = pytest.mark.parametrize("power", [RDRAM, ODD], ids=["rdram", "odd"])
ROUNDS = 60


def thresholds_agree(models: ModuleType, power: ChipPower, rounds: int = ROUNDS) -> bool:
    """Does the core do what a model of thresholds and working sets does, on all of some random programs?"""
    rng = np.random.default_rng(5)
    for _ in range(rounds):
        run = program(rng)
        after = [0, 0, *sorted(int(ns) * NS for ns in rng.choice([0, 50, 100, 500, 1_000, 7_000], 2))]
        if rng.random() < 0.5:
            after[int(rng.integers(1, 4))] = None
        mrc = {
            "epoch_fs": int(rng.choice([0, 50, 1_000, 10_000])) * NS,
            "chip_pages": run.chip_pages,
            "epsilon_ppm": int(rng.choice([0, 10_000, 200_000])),
        }
        told = [core.NEVER_FS if fs is None else fs for fs in after]
        got = core.run_chips(run.trace, native_power(power), told, core.MrcParameters(**mrc))
        counts, total = models.run_chips(*_arguments(run), power, after, **mrc)
        if (got.chips().tolist(), got.total_fs) != (flat(counts), total):
            return False
    return True


def prediction_agrees(models: ModuleType, power: ChipPower, rounds: int = ROUNDS) -> bool:
    rng = np.random.default_rng(6)
    for _ in range(rounds):
        run = program(rng)
        told = {
            "price_uw": int(rng.choice([0, 20_000, 500_000])),
            "tolerance_fs": int(rng.choice([0, 10, 100])) * NS,
            "hold_fs": int(rng.choice([0, 15])) * NS,
        }
        got = core.run_predictive(run.trace, native_power(power), core.PredictiveParameters(**told))
        pages, gaps, *memory = _arguments(run)
        counts, total = models.run_predictive(pages, gaps, run.writes.tolist(), *memory, power, **told)
        if (got.chips().tolist(), got.total_fs) != (flat(counts), total):
            return False
    return True


def _arguments(run: Program) -> tuple[list[int], list[int], list[int], int]:
    return run.pages.tolist(), run.gaps_fs.tolist(), run.chip_of.tolist(), run.chips


@POWERS
def test_thresholds_and_working_chips_are_those_of_the_golden_model(power):
    assert thresholds_agree(golden, power)


@POWERS
def test_predictions_are_those_of_the_golden_model(power):
    assert prediction_agrees(golden_prediction, power)


@POWERS
def test_the_oracle_is_that_of_the_golden_model(power):
    rng = np.random.default_rng(7)
    for _ in range(ROUNDS):
        run = program(rng)
        got = core.run_oracle(run.trace, native_power(power))
        counts, total = golden.run_oracle(*_arguments(run), power)
        assert (got.chips().tolist(), got.total_fs) == (flat(counts), total)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("chip in stack.pages[:top]", None),
        ("max(now, epoch_end)", "epoch_end"),
        ("power_down(before - working(), issued)", "power_down(before - working(), now)"),
        ("<= epsilon_ppm * len(positions)", "<= (epsilon_ppm - 1) * len(positions) + 1"),
        ("misses(chips * chip_pages)", "misses(chip_pages)"),
        ("position is None or position >= size", "position is None or position > size"),
        ("range(1, chips + 1)", "range(0, chips + 1)"),
        ("            if epoch:\n", "            if True:\n"),
        ("power_down(set(range(chips)), 0)", "pass"),
        ("issued >= epoch_end", "issued > epoch_end"),
    ],
)
def test_a_model_that_decides_otherwise_differs_from_the_core(old, new):
    if new is None:
        old, new = "stack.pages[:top]", "stack.pages[: top + 1]"
    assert not thresholds_agree(mutated_module(Path(golden.__file__), old, new), RDRAM, rounds=300)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "entry.confidence = min(SURE, entry.confidence + 1)",
            "entry.confidence = min(SURE, entry.confidence + 2)",
        ),
        ("entry.confidence -= 1", "entry.confidence -= 2"),
        ('("chip", chip, last_chip, write)]', '("chip", chip, 0, write)]'),
        ('keys = [("page", page, write), ', "keys = ["),
        ("        begin(issued)\n", "        begin(issued + 10**9)\n"),
        ("earliest = now if expected == chip else issued", "earliest = now"),
        ("if wake_at[NAP] <= nap_at:", "if wake_at[NAP] < nap_at:"),
        (
            "(nap, NAP), (nap + deep_after, POWERDOWN))\n        return",
            "(nap, NAP), (deep_at, POWERDOWN))\n        return",
        ),
        ("self.nap[after] // FADING", "self.nap[after] // 4"),
        ("idle >= after", "idle > after + 50"),
        ("costs[chip, direction].learn", "costs[chip, write if (chip, write) in costs else direction].learn"),
        ("gap_fs > near + about", "gap_fs > near"),
        ("max(until, begins + chip.power.exit_fs[state])", "until"),
    ],
)
def test_a_model_that_predicts_otherwise_differs_from_the_core(old, new):
    mutant = mutated_module(Path(golden_prediction.__file__), old, new)
    assert not (prediction_agrees(mutant, RDRAM, rounds=300) and prediction_agrees(mutant, ODD, rounds=300))


def test_the_papers_counters_find_the_same_working_chips():
    """A counter a chip, as section 5.1 has it; so long that the core numbers its 65,536 slots anew."""
    rng = np.random.default_rng(10)
    count, pages, chip_pages, epoch_fs = 150_000, 40, 4, 20_000 * NS
    names = np.arange(count) // 500 % 5 * 8 + rng.integers(0, 8, count)
    names = np.where(rng.random(count) < 0.02, rng.integers(0, pages, count), names)
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    numbers = np.argsort(np.argsort(first))[inverse].astype(np.uint32)
    gaps = rng.choice([10, 100, 1_000], count).astype(np.uint64) * np.uint64(NS)
    run = Program(numbers, gaps, np.zeros(count, np.uint8), chip_pages)
    never = core.NEVER_FS
    mrc = core.MrcParameters(epoch_fs, chip_pages, 10_000)
    got = core.run_chips(run.trace, native_power(RDRAM), [0, never, 0, never], mrc)
    rows = got.chips().reshape(run.chips, 9)
    naps, powerdowns, wakes = _by_counters(run, epoch_fs, epsilon=0.01)
    assert rows[:, 2].tolist() == naps
    assert rows[:, 3].tolist() == powerdowns
    assert rows[:, 6:8].tolist() == wakes
    assert min(map(min, wakes[:-1])) > 100


def _by_counters(run: Program, epoch_fs: int, epsilon: float) -> tuple[list[int], list[int], list[list[int]]]:
    """mrc-static in the paper's words: of all chips femtoseconds of nap, of powerdown, wake-ups from each."""
    chip_of, chips = run.chip_of.tolist(), run.chips
    stack, counters, positions = [], [0] * chips, []
    since, down_since = [0] * chips, [0] * chips  # down_since None: in nap
    naps, downs, wakes = [0] * chips, [0] * chips, [[0, 0] for _ in range(chips)]
    top, now, epoch_end = chips * run.chip_pages, 0, epoch_fs

    def leaves(page: int, time: int) -> None:
        chip = chip_of[page]
        counters[chip] -= 1
        if counters[chip] == 0 and down_since[chip] is None:
            down_since[chip] = time

    def waited(chip: int, time: int) -> None:
        down = time if down_since[chip] is None else down_since[chip]
        naps[chip] += down - since[chip]
        downs[chip] += time - down

    for page, gap in zip(run.pages.tolist(), run.gaps_fs.tolist(), strict=True):
        issued = now + gap
        if issued >= epoch_end:
            misses = [sum(p >= size * run.chip_pages for p in positions) for size in range(1, chips + 1)]
            size = next(i for i, m in enumerate(misses, 1) if m <= epsilon * len(positions)) * run.chip_pages
            for left in stack[size:top]:
                leaves(left, max(now, epoch_end))
            for entered in stack[top:size]:
                counters[chip_of[entered]] += 1
            top, positions = size, []
            epoch_end += epoch_fs * ((issued - epoch_end) // epoch_fs + 1)
        position = stack.index(page) if page in stack else None
        positions.append(-1 if position is None else position)
        if position is not None:
            del stack[position]
        stack.insert(0, page)
        if position is None or position >= top:
            counters[chip_of[page]] += 1
            if len(stack) > top:
                leaves(stack[top], issued)
        chip = chip_of[page]
        waited(chip, issued)
        asleep = down_since[chip] is not None
        wakes[chip][asleep] += 1
        now = issued + RDRAM.exit_fs[3 if asleep else 2] + RDRAM.access_fs
        since[chip], down_since[chip] = now, None
    for chip in range(chips):
        waited(chip, now)
    return naps, downs, wakes


@POWERS
def test_nobody_takes_less_energy_or_time_than_the_oracle(power):
    rng = np.random.default_rng(8)
    below = 0
    for _ in range(100):
        run = program(rng)
        least, fastest = _energy_and_time(core.run_oracle(run.trace, native_power(power)), power)
        for got in _runs(run, power):
            energy, time = _energy_and_time(got, power)
            assert least <= energy
            assert fastest <= time
            below += least < 0.9 * energy
    assert below > 500  # the bound is no idle one either


def test_every_moment_of_every_chip_is_in_one_state():
    rng = np.random.default_rng(9)
    for _ in range(100):
        run = program(rng)
        for got in _runs(run, RDRAM)[:-1]:  # a prediction may still be waking a chip at the end
            rows = got.chips().reshape(run.chips, 9).astype(object)
            waking = rows[:, 4:8] @ np.array(RDRAM.exit_fs, object)
            assert (rows[:, :4].sum(axis=1) + waking + rows[:, 8] * RDRAM.access_fs == got.total_fs).all()
            assert rows[:, 8].tolist() == np.bincount(run.chip_of[run.pages], minlength=run.chips).tolist()


def _runs(run: Program, power: ChipPower) -> list[core.ChipRun]:
    """The program under all kinds of schemes, the predicting one last."""
    never, chips = core.NEVER_FS, native_power(power)
    runs = []
    for after in (
        [0, never, never, never],
        [0, never, 0, never],
        [0, 0, 100 * NS, never],
        [0, 0, 0, 3_000 * NS],
        [0, never, never, 0],
    ):
        for epoch_fs in (0, 5_000 * NS):
            mrc = core.MrcParameters(epoch_fs, run.chip_pages, 10_000)
            runs.append(core.run_chips(run.trace, chips, after, mrc))
    return [*runs, core.run_predictive(run.trace, chips, core.PredictiveParameters(40_000, 10 * NS, 15 * NS))]


def _energy_and_time(run: core.ChipRun, power: ChipPower) -> tuple[int, int]:
    """In microwatts x femtoseconds, whole; and in femtoseconds."""
    rows = run.chips().reshape(-1, 9).astype(object).sum(axis=0)
    waking = [fs * uw for fs, uw in zip(power.exit_fs, power.exit_uw, strict=True)]
    energy = sum(rows[:4] * np.array(power.waiting_uw, object)) + sum(rows[4:8] * np.array(waking, object))
    return energy + rows[8] * power.access_fs * power.waiting_uw[0], run.total_fs
