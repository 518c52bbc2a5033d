# SPDX-License-Identifier: BSD-2-Clause
"""The loop front in RTL equals the golden model, hit by hit, at one hit a cycle."""

import random
from dataclasses import dataclass
from pathlib import Path

import litemrc_gateware.stacks.bucket.loop_front as loop_front
import pytest
from litemrc.golden.monitor.loop_front import LoopFront as GoldenFront
from migen import passive

from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

CONTEXTS, IDS, HITS = 4, 32, 6000
SIZES = [1, 4, 32, 512]  # most pages of a bucket, for none, some and all eight fractional bits


@dataclass(eq=False)
class Bucket:
    """A bucket of the golden model, one for each context and id."""

    number: int
    pages: int = 0


def workload(bucket_pages, rng):
    """(owner, id, pages), hit by hit; None for a cycle without one; or "forget", or "clear".

    Each context has a loop that empties bucket after bucket, mostly towards newer ones. Its hits are but a
    part of all, and it leaves a part of each bucket behind: how much changes from time to time.
    """
    owner, loops = 0, {}
    for step in range(HITS):
        if step % 500 == 0:
            purity, left_behind = rng.choice([0.6, 0.9, 1]), rng.choice([0, 0.5, 0.8])
        if rng.random() < 0.1:
            owner = rng.randrange(CONTEXTS)
        front, pages = loops.get(owner, (1, 0))
        if pages <= left_behind * bucket_pages or rng.random() < 0.005:
            stride = 1 if rng.random() < 0.9 else rng.randrange(1, IDS)
            front, pages = 1 + (front + stride - 1) % (IDS - 1), bucket_pages
        if rng.random() < purity:
            yield owner, front, pages
            pages -= 1
        else:
            yield owner, rng.randrange(1, IDS), rng.randint(1, bucket_pages)
        loops[owner] = front, pages
        if rng.random() < 0.1:
            yield None
        if rng.random() < 0.002:
            yield "clear" if rng.random() < 0.3 else "forget"


def compare(module, bucket_pages, seed):
    """The answers of RTL and golden model to each hit."""
    rng = random.Random(seed)
    dut = module.LoopFront(bucket_pages, CONTEXTS, IDS, pages_bits=bucket_pages.bit_length() + 3)
    golden = [GoldenFront(bucket_pages) for _ in range(CONTEXTS)]
    buckets = {(owner, number): Bucket(number) for owner in range(CONTEXTS) for number in range(IDS)}
    seen, expected = [], []

    def pause():
        yield dut.hit.eq(0)
        for _ in range(dut.latency + 1):
            yield

    def drive():
        for step in workload(bucket_pages, rng):
            if step in ("forget", "clear"):
                yield from pause()
                yield getattr(dut, step).eq(1)
                yield
                yield getattr(dut, step).eq(0)
                for owner in range(CONTEXTS):
                    if step == "clear":
                        golden[owner] = GoldenFront(bucket_pages)
                    golden[owner].forget()
                continue
            owner, number, pages = step or (0, 0, 0)
            yield dut.hit.eq(step is not None)
            yield dut.owner.eq(owner)
            yield dut.id.eq(number)
            yield
            yield dut.pages.eq(pages)  # a cycle later
            if step is not None:
                bucket = buckets[owner, number]
                bucket.pages = pages
                expected.append(golden[owner].hit(bucket))
        yield from pause()

    @passive
    def watch():
        hits = [0] * dut.latency
        while True:
            hits.append((yield dut.hit))
            if hits.pop(0):
                seen.append((yield dut.inside))
            yield

    ports = [dut.hit, dut.owner, dut.id, dut.pages, dut.forget, dut.clear, dut.inside]
    run_simulation(dut, [drive(), watch()], ports)
    return seen, expected


@pytest.mark.parametrize("bucket_pages", SIZES)
def test_rtl_says_what_the_golden_model_says(bucket_pages):
    seen, expected = compare(loop_front, bucket_pages, seed=1)
    assert len(expected) == HITS
    assert seen == expected


MUTANTS = {
    "loop_that_goes_back_corrects_the_slope": ("(this_id > now.front) & ", ""),
    "place_falls_without_end": ("self.advances & ~is_low,", "self.advances,"),
    "slope_does_not_outlive_new_ids": ("If(self.clear, *(flag", "If(self.forget | self.clear, *(flag"),
    "front_outlives_new_ids": ("If(self.forget | self.clear, *(flag", "If(self.clear, *(flag"),
    "hit_of_the_clock_before_is_missed": (
        "now.place.eq(Mux(self.follows, new.place, stored.place))",
        "now.place.eq(stored.place)",
    ),
    "three_hits_make_a_front": ("VOTES - 2", "VOTES - 3"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_bench_finds_the_mutant(name):
    mutant = mutated_module(Path(loop_front.__file__), *MUTANTS[name])
    seen, expected = compare(mutant, bucket_pages=32, seed=1)
    assert seen != expected
