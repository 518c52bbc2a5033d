"""Vectors of the golden model for the C++ units; the formats are described in bench/*replay.cpp."""

import random
from collections.abc import Iterator
from pathlib import Path

from builder import FilterSizes, Sizes
from litemrc.golden.monitor import MonitorModel, Position
from litemrc.golden.page_filter import PageFilter
from litemrc.golden_check import MODELS

ACCESS, INVALIDATE, CLEAR, MARK = range(4)


def write_vectors(path: Path, engine: str, sizes: Sizes, seed: int, operations: int) -> None:
    """Write `operations` random operations and what the golden model answers to them."""
    model = MODELS[engine](sizes.frames, sizes.groups, sizes.contexts, sizes.counter_bits)
    lines = [f"{sizes.frames} {sizes.groups} {sizes.contexts}"]
    for kind, frame, context, epoch_end in _operations(sizes, seed, operations):
        answer = _step(model, kind, frame, context)
        numbers = (kind, frame, context, int(epoch_end), *map(int, answer))
        lines.append(" ".join(map(str, numbers)))
        if epoch_end:
            lines.append(_window(model))
    path.write_text("\n".join(lines) + "\n")


def _operations(sizes: Sizes, seed: int, count: int) -> Iterator[tuple[int, int, int, bool]]:
    """Runs over working sets of changing size, in random order or in turn, each under its context."""
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
        running = context if dice.random() < 0.95 else dice.randrange(sizes.contexts)
        yield kind, (base + cursor) % sizes.frames, running, dice.random() < 0.001


def write_filter_vectors(path: Path, sizes: FilterSizes, seed: int, operations: int) -> None:
    """Write random operations, what the golden filter answers, and what it sends to its engine."""
    dice = random.Random(seed)
    engine = MonitorModel(sizes.frames, sizes.groups, sizes.contexts)
    model = PageFilter(engine, sizes.memory_frames, sizes.frames, sizes.groups, sizes.recent_pages)
    lines = [f"{sizes.memory_frames} {sizes.frames} {sizes.groups} {sizes.contexts} {sizes.recent_pages}"]
    for number in range(operations):
        if number % 2000 == 0:
            kind = CLEAR
            model.lower, model.upper = sorted(dice.choices(range(sizes.memory_frames), k=2))
            if dice.random() < 0.5:
                model.lower, model.upper = 0, sizes.memory_frames - 1
            model.sampling = dice.choice((0, 0, 1, 2, 5))
            few = dice.randrange(1, 3 * sizes.recent_pages + 1) << model.scale_log2
        else:
            kind = dice.choices((ACCESS, INVALIDATE, CLEAR, MARK), (1000, 20, 0.1, 5))[0]
        pages = min(few, sizes.memory_frames) if dice.random() < 0.8 else sizes.memory_frames
        frame = (model.lower + dice.randrange(pages)) % sizes.memory_frames
        context, epoch_end = dice.randrange(sizes.contexts), dice.random() < 0.005
        model.sent.clear()
        answer = _step(model, kind, frame, context)
        counts = model.end_epoch() if epoch_end else ()
        numbers = [model.lower, model.upper, model.sampling, kind, frame, context, int(epoch_end)]
        numbers += [*map(int, answer), *counts, len(model.sent)]
        for op in model.sent:
            numbers += [("access", "invalidate", "clear").index(op.kind), op.frame, op.context]
        lines.append(" ".join(map(str, numbers)))
    path.write_text("\n".join(lines) + "\n")


def _step(
    model: MonitorModel | PageFilter, kind: int, frame: int, context: int
) -> Position | tuple[int, int, int]:
    if kind == ACCESS:
        return model.access(frame, context)
    if kind == INVALIDATE:
        return model.invalidate(frame)
    if kind == CLEAR:
        return model.clear()
    return model.mark()


def _window(model: MonitorModel) -> str:
    counters = model.end_epoch()
    words = [counters.epoch + 1, int(counters.overflow)]  # the units number the finished epochs from 1
    for hits, misses, accesses in zip(counters.hits, counters.misses, counters.accesses, strict=True):
        words += [*hits, misses, accesses, *[0] * (len(hits) - 2)]
    return " ".join(map(str, words))
