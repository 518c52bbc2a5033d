# SPDX-License-Identifier: BSD-2-Clause
"""Vectors of the golden model for the C++ units; the formats are described in bench/*replay.cpp."""

import random
from collections.abc import Iterator
from pathlib import Path

from litemrc.golden.monitor.dram_traffic import Commands, DRAMTraffic
from litemrc.golden.monitor.engines import ENGINES
from litemrc.golden.monitor.group_stack import GroupStack, Move
from litemrc.golden.monitor.hit_counters import EpochCounters, HitCounters
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.monitor.page_filter import PageFilter
from litemrc.golden.monitor.positions import Position, StackEngine
from litemrc.golden.monitor.working_set import PageBitmap, WorkingSet
from litemrc.golden.ranks.meter import PowerState, RankMeterModel
from litemrc.golden.ranks.working_pages import WorkingPages

from tests.cosim.builder import FilterSizes, MeterSizes, Sizes, TrafficSizes

ACCESS, INVALIDATE, CLEAR, MARK = range(4)
METER_CLOCK, METER_MOVE, METER_CLEAR_PAGES, METER_SET_N_MRC, METER_FIND_N_MRC, METER_SNAPSHOT = range(6)


def write_vectors(path: Path, engine: str, sizes: Sizes, seed: int, operations: int) -> None:
    """Write `operations` random operations and the golden model's answers."""
    stack = ENGINES[engine].model(sizes.frames, sizes.groups, sizes.contexts)
    counters = HitCounters(sizes.groups, sizes.contexts, sizes.counter_bits)
    dice = random.Random(seed)
    lines = [f"{sizes.frames} {sizes.groups} {sizes.contexts}"]
    for kind, frame, context, write, epoch_end in _operations(sizes, seed, operations):
        answer = _step(stack, kind, frame, context, write)
        first_touch = answer.counts and dice.random() < 0.3
        counters.count(answer, first_touch)
        if kind == CLEAR:
            counters.clear()
        numbers = (kind, frame, context, int(write), int(epoch_end), *map(int, answer), int(first_touch))
        lines.append(" ".join(map(str, numbers)))
        if epoch_end:
            lines.append(_window_of(counters.end_epoch()))
    path.write_text("\n".join(lines) + "\n")


def _operations(sizes: Sizes, seed: int, count: int) -> Iterator[tuple[int, int, int, bool, bool]]:
    """Runs over working sets of changing size, in random or sequential order, each in one context.

    Half of the operations write; an invalidation that does is a claim, by any context.
    """
    dice = random.Random(seed)
    run_left, cursor = 0, 0
    for _ in range(count):
        if run_left == 0:
            run_left = dice.randrange(1, 2000)
            working_set = dice.randrange(1, dice.choice((sizes.frames, sizes.frames // 8)) + 1)
            base, context, in_turn = (
                dice.randrange(sizes.frames),
                dice.randrange(sizes.contexts),
                dice.random() < 0.5,
            )
        run_left -= 1
        cursor = (cursor + 1) % working_set if in_turn else dice.randrange(working_set)
        kind = dice.choices((ACCESS, INVALIDATE, CLEAR, MARK), (1000, 20, 0.1, 5))[0]
        same = kind != INVALIDATE and dice.random() < 0.95
        running = context if same else dice.randrange(sizes.contexts)
        write = dice.random() < 0.5
        yield kind, (base + cursor) % sizes.frames, running, write, dice.random() < 0.001


def write_filter_vectors(path: Path, sizes: FilterSizes, seed: int, operations: int) -> None:
    """Write random operations, and the golden filter's answers and engine operations."""
    dice = random.Random(seed)
    engine = GroupStack(sizes.frames, sizes.groups, sizes.contexts)
    model = PageFilter(engine, sizes.memory_frames, sizes.frames, sizes.groups, sizes.recent_pages)
    lines = [f"{sizes.memory_frames} {sizes.frames} {sizes.groups} {sizes.contexts} {sizes.recent_pages}"]
    for number in range(operations):
        if number % 2000 == 0:
            kind = CLEAR
            model.lower, model.upper = sorted(dice.choices(range(sizes.memory_frames), k=2))
            if dice.random() < 0.5:
                model.lower, model.upper = 0, sizes.memory_frames - 1
            model.sampling = dice.choice((0, 0, 1, 2, 5))
            model.split = dice.choice((0, sizes.contexts // 2))
            few = dice.randrange(1, 3 * sizes.recent_pages + 1) << model.scale_log2
        else:
            kind = dice.choices((ACCESS, INVALIDATE, CLEAR, MARK), (1000, 20, 0.1, 5))[0]
        pages = min(few, sizes.memory_frames) if dice.random() < 0.8 else sizes.memory_frames
        frame = (model.lower + dice.randrange(pages)) % sizes.memory_frames
        context, epoch_end = dice.randrange(sizes.contexts), dice.random() < 0.005
        frozen = kind == ACCESS and dice.random() < 0.05
        model.sent.clear()
        write = dice.random() < 0.4
        if kind == ACCESS:
            answer = model.access(frame, context, frozen, write)
        else:
            answer = _step(model, kind, frame, context, write)
        counts = model.end_epoch() if epoch_end else ()
        numbers = [
            model.lower,
            model.upper,
            model.sampling,
            int(model.split > 0),
            kind,
            frame,
            context,
            int(write),
            int(epoch_end),
            int(frozen),
        ]
        numbers += [*map(int, answer), *counts, len(model.sent)]
        for op in model.sent:
            kind = INVALIDATE if op.kind == "claim" else ("access", "invalidate", "clear").index(op.kind)
            numbers += [kind, op.frame, op.context, int(op.kind == "claim")]
        lines.append(" ".join(map(str, numbers)))
    path.write_text("\n".join(lines) + "\n")


def _short_epochs(dice: random.Random, sizes: Sizes, operations: int) -> Iterator[tuple[int, int, bool]]:
    """Yield random operations: kind, page, and whether the epoch ends."""
    epoch_ops = 1
    for number in range(operations):
        if number % 1000 == 0:
            epoch_ops = dice.choice((2, 5, 50, 1000))
        kind = dice.choices((ACCESS, INVALIDATE, CLEAR, MARK), (1000, 100, 1, 50))[0]
        yield kind, dice.randrange(sizes.frames), dice.random() < 1 / epoch_ops


def write_working_set_vectors(path: Path, sizes: Sizes, seed: int, operations: int) -> None:
    """Write random operations, and whether each is a first touch in the golden working set."""
    dice, model = random.Random(seed), WorkingSet()
    lines = [str(sizes.frames)]
    for kind, page, epoch_end in _short_epochs(dice, sizes, operations):
        first = kind == ACCESS and model.touch(page)
        if kind == INVALIDATE:
            model.invalidate(page)
        if kind == CLEAR or epoch_end:
            model.clear()
        lines.append(f"{kind} {page} {int(epoch_end)} {int(first)}")
    path.write_text("\n".join(lines) + "\n")


def write_page_bitmap_vectors(path: Path, sizes: Sizes, seed: int, operations: int) -> None:
    """Write random operations, and the frames of each epoch in the golden page bitmap."""
    dice, model = random.Random(seed), PageBitmap()
    lines = [str(sizes.frames)]
    for kind, frame, epoch_end in _short_epochs(dice, sizes, operations):
        write = dice.random() < 0.3
        lines.append(f"{kind} {frame} {int(write)} {int(epoch_end)}")
        if kind == ACCESS:
            model.access(frame, write)
        if kind == CLEAR:
            model.clear()
        if epoch_end:
            model.end_epoch()
            frames = (*sorted(model.accessed), *sorted(model.written))
            lines.append(" ".join(map(str, (len(model.accessed), len(model.written), *frames))))
    path.write_text("\n".join(lines) + "\n")


def write_traffic_vectors(path: Path, sizes: TrafficSizes, seed: int, cycles: int) -> None:
    """Write random commands of the DRAM, and the words of each epoch of the golden model."""
    dice, model = random.Random(seed), DRAMTraffic(sizes.banks, sizes.ranks, sizes.cycle_bits)
    lines, counts = [f"{sizes.banks} {sizes.ranks}"], True
    for cycle, now in enumerate(_commands(sizes, seed, cycles)):
        if cycle % 6000 == 0:
            epoch_cycles, clear_cycles = dice.choice(((2, 20), (50, 1000), (1000, 1000), (10**6, 10**6)))
        counts = counts != (dice.random() < 0.01)
        clear, epoch_end = dice.random() < 1 / clear_cycles, dice.random() < 1 / epoch_cycles
        model.cycle(now, counts)
        numbers: list[int] = [counts, now.access is not None, now.write, now.access or 0]
        numbers += [now.activate is not None, now.activate or 0]
        numbers += [sum(1 << rank for rank in ranks) for ranks in (now.precharge_all, now.refresh)]
        lines.append(" ".join(map(str, map(int, (*numbers, now.accepted, now.issued, clear, epoch_end)))))
        if clear:
            model.clear()
        if epoch_end:
            finished = model.end_epoch()
            words = (finished.overflow, *finished.words(sizes.counter_bits))
            lines.append(" ".join(map(str, map(int, words))))
    path.write_text("\n".join(lines) + "\n")


def _commands(sizes: TrafficSizes, seed: int, cycles: int) -> Iterator[Commands]:
    """Yield random commands that a DRAM permits, at rates that change; a queue of up to 44 requests.

    An ACTIVATE is of a closed bank, an access of an open one.
    """
    dice, level = random.Random(seed + 1), 0
    opened: set[int] = set()
    for cycle in range(cycles):
        if cycle % 500 == 0:
            rates = [dice.choice((0, 0.05, 0.4, 0.95)) for _ in range(6)]
            banks = dice.sample(range(sizes.banks), dice.randrange(1, sizes.banks + 1))
        accepted = dice.randrange(5) if dice.random() < rates[0] and level <= 40 else 0
        issued = int(level + accepted > 0 and dice.random() < rates[1])
        level += accepted - issued
        access, activate, precharge = (
            dice.choice(banks) if dice.random() < rate else None for rate in rates[2:5]
        )
        access = access if access in opened else None
        auto_precharge = access is not None and dice.random() < rates[5] / 2
        activate = activate if activate not in opened else None
        precharge = precharge if precharge in opened - {access} or dice.random() < 0.1 else None
        if precharge is not None and precharge in (access, activate):
            precharge = None
        opened -= {precharge, access if auto_precharge else None}
        all_banks, refresh = [], []
        if dice.random() < 0.01:
            all_banks = [rank for rank in range(sizes.ranks) if dice.random() < 0.5]
            opened = {bank for bank in opened if bank * sizes.ranks // sizes.banks not in all_banks}
            idle = set(range(sizes.ranks)) - {bank * sizes.ranks // sizes.banks for bank in opened}
            refresh = [rank for rank in idle if dice.random() < 0.5]
        if all_banks or refresh:
            activate = None
        opened |= {activate} - {None}
        write = dice.random() < 0.4
        yield Commands(
            access, write, auto_precharge, activate, precharge, all_banks, refresh, accepted, issued
        )


def write_monitor_vectors(path: Path, engine: str, sizes: FilterSizes, seed: int, operations: int) -> None:
    """Write random operations on the whole monitor, and the counters of every epoch."""
    dice = random.Random(seed)
    model = MonitorModel(
        sizes.memory_frames,
        sizes.groups,
        sizes.contexts,
        engine,
        sizes.frames,
        sizes.recent_pages,
        sizes.counter_bits,
    )
    lines = [f"{sizes.memory_frames} {sizes.frames} {sizes.groups} {sizes.contexts} {sizes.recent_pages}"]
    lower, upper, sampling = 0, sizes.memory_frames - 1, 0
    for number in range(operations):
        if number % 5000 == 0:
            kind, epoch_ops = CLEAR, dice.choice((10, 300, 2000))
            lower, upper = sorted(dice.choices(range(sizes.memory_frames), k=2))
            if dice.random() < 0.5:
                lower, upper = 0, sizes.memory_frames - 1
            sampling = dice.choice((0, 0, 1, 2))
            model.set_range(lower, upper)
            model.set_sampling(sampling)
            model.set_split(split := dice.random() < 0.5)
            few = dice.randrange(1, sizes.frames // 4) << model.filter.scale_log2
        else:
            kind = dice.choices((ACCESS, INVALIDATE, CLEAR, MARK), (1000, 20, 0.1, 5))[0]
        model.freeze = model.freeze != (dice.random() < 0.002)
        pages = min(few, sizes.memory_frames) if dice.random() < 0.8 else sizes.memory_frames
        frame = (lower + dice.randrange(pages)) % sizes.memory_frames
        context, epoch_end = dice.randrange(sizes.contexts), dice.random() < 1 / epoch_ops
        write = dice.random() < 0.4
        if kind == ACCESS:
            model.access(frame, context, write)
        else:
            _step(model, kind, frame, context, write)
        numbers = (lower, upper, sampling, split, kind, frame, context, write, epoch_end, model.freeze)
        lines.append(" ".join(map(str, map(int, numbers))))
        if epoch_end:
            finished = model.end_epoch()
            lines.append(f"{finished.outside} {finished.unsampled} {_window_of(finished)}")
    path.write_text("\n".join(lines) + "\n")


class _MoveLines(WorkingPages):
    """The working set's pages, and a line of vectors for each move."""

    def __init__(self, sizes: MeterSizes, lines: list[str]) -> None:
        self._lines = lines
        super().__init__(sizes.frames, sizes.groups, sizes.contexts, sizes.domains)

    def move(self, move: Move) -> None:
        super().move(move)
        places = (move.from_group is not None, move.from_group or 0, move.to_group is not None)
        numbers = (METER_MOVE, move.page, move.context, *map(int, places), move.to_group or 0)
        self._lines.append(" ".join(map(str, numbers)))

    def clear(self) -> None:
        super().clear()
        self._lines.append(str(METER_CLEAR_PAGES))


def write_meter_vectors(path: Path, sizes: MeterSizes, seed: int, clocks: int) -> None:
    """Write random cycles of the power domains, operations between them, and the snapshots expected."""
    dice = random.Random(seed)
    lines = [f"{sizes.frames} {sizes.groups} {sizes.contexts} {sizes.domains}"]
    pages = _MoveLines(sizes, lines)
    stack = GroupStack(sizes.frames, sizes.groups, sizes.contexts, pages)
    meter = RankMeterModel(sizes.domains, pages, sizes.counter_bits)
    domains = range(sizes.domains)
    states = [PowerState.PRECHARGE_STANDBY] * sizes.domains
    operations = _operations(sizes, seed, clocks)
    for clock, (kind, frame, context, claims, _) in enumerate(operations):
        if clock % 1000 == 0:
            rates = [dice.choice((0, 0.01, 0.3, 1)) for _ in range(5)]
        access, write, activate = dice.random() < rates[0], dice.random() < 0.5, dice.random() < rates[0] / 2
        accessed, activated = dice.choice(domains), dice.choice(domains)
        refresh, waking, wakes = ([dice.random() < rate for _ in domains] for rate in rates[1:4])
        states = [dice.choice(list(PowerState)) if dice.random() < rates[4] / 2 else s for s in states]
        if access:
            meter.access(clock, accessed, write)
        if activate:
            meter.activate(clock, activated)
        for d in domains:
            meter.enter(clock, d, states[d])
            meter.waking(clock, d, waking[d])
            if refresh[d]:
                meter.refresh(clock, d)
            if wakes[d]:
                meter.wake(clock, d)
        masks = [sum(flag << d for d, flag in enumerate(flags)) for flags in (refresh, waking, wakes)]
        numbers = (METER_CLOCK, int(access), accessed, int(write), int(activate), activated, *masks, *states)
        lines.append(" ".join(map(str, map(int, numbers))))
        _step(stack, kind, frame, context, claims)
        if dice.random() < 0.005:
            context, size = dice.randrange(sizes.contexts), dice.randrange(2 * sizes.groups)
            pages.set_n_mrc(context, size)
            lines.append(f"{METER_SET_N_MRC} {context} {size}")
        if dice.random() < 0.005:
            epsilon = dice.choice((0, dice.randrange(2**16), dice.randrange(100)))
            hits = [
                [
                    dice.choice((0, 0, 1, dice.randrange(1 << min(sizes.counter_bits, 31))))
                    for _ in range(sizes.groups)
                ]
                for _ in range(sizes.contexts)
            ]
            accesses = [int(any(row) or dice.random() < 0.5) for row in hits]
            pages.end_epoch(hits, accesses, epsilon)
            rows = [f"{made} {' '.join(map(str, row))}" for made, row in zip(accesses, hits, strict=True)]
            lines.append(f"{METER_FIND_N_MRC} {epsilon} {' '.join(rows)}")
        if dice.random() < 0.005:
            working = sum(flag << d for d, flag in enumerate(pages.working()))
            finished = meter.snapshot(clock + 1)
            words = [*(word for row in finished.counters for word in row), *finished.n_mrc]
            numbers = (METER_SNAPSHOT, int(finished.overflow), working, *words)
            lines.append(" ".join(map(str, numbers)))
    path.write_text("\n".join(lines) + "\n")


def _step(model: StackEngine, kind: int, frame: int, context: int, write: bool) -> Position:
    if kind == ACCESS:
        return model.access(frame, context)
    if kind == INVALIDATE:
        return model.claim(frame, context) if write else model.invalidate(frame)
    if kind == CLEAR:
        return model.clear()
    return model.mark()


def _window_of(finished: EpochCounters) -> str:
    words = [finished.epoch + 1, int(finished.overflow)]  # the units number the finished epochs from 1
    totals = finished.misses, finished.accesses, finished.touched
    for hits, *row in zip(finished.hits, *totals, strict=True):
        words += [*hits, *row, *[0] * (len(hits) - len(row))]
    return " ".join(map(str, words))
