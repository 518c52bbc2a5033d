# SPDX-License-Identifier: BSD-2-Clause
"""Vectors of the golden reference counters for the C++ unit; the format is that of bench/refs_replay.cpp."""

import random
from collections.abc import Iterator
from pathlib import Path

from litemrc.golden.refs.ref_counters import Counter, RefCounters, Selector

from tests.cosim.ref_builder import RefSizes

SETTINGS, REQUEST, READ, LOAD, RESET, TAKE, TOTALS = range(7)


def write_ref_vectors(path: Path, sizes: RefSizes, seed: int, requests: int) -> None:
    """Write random requests, settings, commands and resets, and the golden model's answers.

    Parameters
    ----------
    path
        may be a pipe, so that the vectors need not be kept.
    """
    with path.open("w") as out:
        print(sizes.pages, sizes.contexts, sizes.masters, sizes.width, sizes.queue_depth, file=out)
        out.writelines(" ".join(map(str, map(int, step))) + "\n" for step in _steps(sizes, seed, requests))


def _steps(sizes: RefSizes, seed: int, requests: int) -> Iterator[tuple[int, ...]]:
    dice = random.Random(seed)
    model = RefCounters(sizes.pages, sizes.width, sizes.queue_depth)
    for number in range(requests):
        if number % 500 == 0:
            pages = dice.choice((1, 4, 16, sizes.pages, sizes.pages))
            base = dice.randrange(sizes.pages)
            command, take = dice.choice((0, 0.1, 0.5)), dice.choice((0, 0.1, 1))
            reset = dice.choice((0, 0, 0.003, 0.01))
            yield _change_settings(model, sizes, dice)
        page = (base + dice.randrange(pages)) % sizes.pages
        write, master, context = (
            dice.random() < 0.5,
            dice.randrange(sizes.masters),
            dice.randrange(sizes.contexts),
        )
        events = model.request(page, write, master, context)
        yield REQUEST, page, write, master, context, sum(1 << event.counter for event in events)
        if dice.random() < command:
            counter = dice.choice(list(Counter))
            page = (base + dice.randrange(pages)) % sizes.pages
            if dice.random() < 0.3:
                yield READ, page, counter, model.read(page, counter)
            else:
                model.load(page, counter, _value(sizes, dice))
                yield LOAD, page, counter, model.read(page, counter)
        if dice.random() < reset:
            model.reset()
            yield (RESET,)
        if dice.random() < take:
            event = model.take()
            yield (TAKE, 1, *event) if event else (TAKE, 0, 0, 0)
    yield TOTALS, model.fired, model.lost


def _value(sizes: RefSizes, dice: random.Random) -> int:
    return dice.randrange(4) if dice.random() < 0.8 else dice.randrange(2**sizes.width)


def _change_settings(model: RefCounters, sizes: RefSizes, dice: random.Random) -> tuple[int, ...]:
    numbers = [SETTINGS]
    for counter in Counter:
        masks = [
            2**bits - 1 if dice.random() < 0.6 else dice.randrange(2**bits)
            for bits in (sizes.masters, sizes.contexts)
        ]
        masters, contexts = ([n for n in range(16) if mask >> n & 1] for mask in masks)
        bounds = [0, sizes.pages - 1] if dice.random() < 0.6 else dice.choices(range(sizes.pages), k=2)
        reads, writes = dice.random() < 0.8, dice.random() < 0.8
        model.selectors[counter] = Selector(reads, writes, masters, contexts, *bounds)
        model.initials[counter] = _value(sizes, dice)
        numbers += [reads, writes, *masks, *bounds, model.initials[counter]]
    return tuple(numbers)
