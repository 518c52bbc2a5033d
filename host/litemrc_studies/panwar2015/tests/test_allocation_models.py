# SPDX-License-Identifier: BSD-2-Clause
"""Generated allocations against models that keep plain lists and draw the same numbers in the same order."""

from collections.abc import Iterator

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.panwar2015.machine.workloads.compile_tree import CompileTree
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, MEDIUM, Footprint, FootprintTrace

KERNEL, FREE = 0x10, 0x20
Tick = list[tuple[int, int, int]]  # (code, number, node)


class World:
    """Block numbers and the pieces of the running tick."""

    def __init__(self, seed: int, burst: int) -> None:
        self.random, self.burst = np.random.default_rng(seed), burst
        self.free, self.given_back, self.next = [], [], 0
        self.pieces: list[Tick] = []

    def take(self, count: int) -> list[int]:
        kept = max(len(self.free) - count, 0)
        reused, self.free = self.free[kept:], self.free[:kept]
        fresh = list(range(self.next, self.next + count - len(reused)))
        self.next += len(fresh)
        return reused + fresh

    def piece(self, codes: list[int], numbers: list[int], node: int) -> None:
        self.pieces.append([(code, number, node) for code, number in zip(codes, numbers, strict=True)])

    def release(self, numbers: list[int], node: int) -> None:
        self.piece([FREE] * len(numbers), numbers, node)
        self.given_back += numbers

    def tick(self) -> Tick:
        turns = [turn for turn, piece in enumerate(self.pieces) for _ in range(0, len(piece), self.burst)]
        shuffled = np.array(turns, dtype=int)
        self.random.shuffle(shuffled)
        events = []
        for turn in shuffled:
            events += self.pieces[turn][: self.burst]
            self.pieces[turn] = self.pieces[turn][self.burst :]
        self.pieces = []
        self.free, self.given_back = self.free + self.given_back, []
        return events


class Process:
    """Pages and kernel pages of a process of a compilation: a stack of order 2 and six page tables first."""

    def __init__(self, world: World, node: int, image: int, heap: int) -> None:
        self.world, self.node = world, node
        self.pages, self.kernel = [], world.take(7)
        world.piece([KERNEL | 2] + [KERNEL] * 6, self.kernel, node)
        self.grow(image // 4 + heap)

    def grow(self, count: int) -> None:
        """A page table goes before each 512 pages that follow the first 512."""
        pages, tables = self.world.take(count), self.world.take(count // 512)
        codes, numbers = [], []
        for place, page in enumerate(pages):
            if place and place % 512 == 0:
                codes.append(KERNEL)
                numbers.append(tables[place // 512 - 1])
            codes.append(0)
            numbers.append(page)
        if count and count % 512 == 0:
            codes.append(KERNEL)
            numbers.append(tables[-1])
        self.world.piece(codes, numbers, self.node)
        self.pages, self.kernel = self.pages + pages, self.kernel + tables

    def end(self) -> None:
        self.world.release(self.pages + self.kernel, self.node)


# Image, mean heap, pages read, pages written, mean ticks of shell, driver, compiler and assembler.
STAGES = ((180, 60, 0, 0, 1), (220, 120, 0, 0, 1), (900, 6000, 700, 60, 12), (200, 900, 60, 40, 3))


def compilation(memory: int, jobs: int, files: int, seed: int, cache: float, nodes: int) -> Iterator[Tick]:
    world, cached, now = World(seed, 16), [], 0  # cached: tick and blocks of each file, oldest first

    def read_file(mean: int, node: int) -> None:
        pages = int(world.random.poisson(mean))
        if not pages:
            return
        slab = max(1, int(pages * 0.02))
        numbers = world.take(pages + slab)
        world.piece([KERNEL] * slab + [0] * pages, numbers, node)
        cached.append((now, numbers))
        while sum(len(each) for _, each in cached) > cache * memory and cached[0][0] < now:
            world.release(cached.pop(0)[1], node)

    def job(node: int) -> Iterator[int]:
        """Yield once a tick: the pages written by then."""
        alive = []
        for stage, (image, heap, reads, writes, ticks) in enumerate(STAGES):
            if stage == 3:
                alive.pop().end()  # the compiler; the assembler is the driver's next child
            heap = world.random.lognormal(np.log(heap) - 0.32, 0.8)
            left = max(1, int(world.random.poisson(ticks)))
            alive.append(Process(world, node, image, 0))
            read_file(reads, node)
            for tick in range(left):
                alive[-1].grow(int(heap / left))
                if tick == left - 1:
                    read_file(writes, node)
                yield writes if tick == left - 1 else 0
        alive.pop().end()
        for process in reversed(alive):
            process.end()

    make = Process(world, 0, 400, 3000)
    yield world.tick()
    now += 1
    running, begun, objects = [], 0, 0
    while begun < files or running:
        while begun < files and len(running) < jobs:
            running.append(job(begun % nodes))
            begun += 1
        written = [next(each, None) for each in running]
        objects += sum(pages or 0 for pages in written)
        running = [each for each, pages in zip(running, written, strict=True) if pages is not None]
        yield world.tick()
        now += 1
    linker = Process(world, 0, 800, 0)
    for _ in range(40):
        linker.grow(int(objects * 0.6 / 40))
        yield world.tick()
    linker.end()
    make.end()
    yield world.tick()


def levels(load: Footprint, ticks: int, random: np.random.Generator) -> list[float]:
    """Levels of 10 to 59 ticks, and ramps of as many between them."""
    steps = random.integers(10, 60, size=2 * ticks // 10).tolist()
    times = [0]
    while times[-1] < ticks:
        times.append(times[-1] + steps[len(times) - 1])
    share = (load.mean - load.low) / (load.high - load.low)
    scale, count = 0.6 / min(share, 1 - share), (len(times) + 1) // 2
    drawn = sorted(random.beta(share * scale, (1 - share) * scale, size=count * 101).tolist())
    medians = random.permutation(np.array([drawn[101 * part + 50] for part in range(count)]))
    shown = np.interp(range(ticks), times, [medians[place // 2] for place in range(len(times))])
    return [load.low + (load.high - load.low) * level for level in shown]


def footprint(load: Footprint, memory: int, ticks: int, seed: int, nodes: int) -> Iterator[Tick]:
    world = World(seed, load.burst)
    random = world.random
    processes: list[dict] = []
    staying: list[tuple[int, list[int], int]] = []  # last tick, kernel blocks, node

    def pages(process: dict) -> int:
        return sum(1 << order for order in process["orders"])

    def used() -> int:
        kernel = sum(process["kernel_pages"] for process in processes)
        return permanent + sum(map(pages, processes)) + kernel + sum(len(each) for _, each, _ in staying)

    def begin(most: int) -> None:
        mean = load.process * memory
        size = int(np.clip(random.lognormal(np.log(mean / 1.65), 1.0), 16, max(most, 16)))
        large = int(size * load.large) // 512
        small = size - 512 * large
        orders = [0] * (small + large)
        for place in random.choice(small + large, large, replace=False):
            orders[place] = 9
        numbers = world.take(small + large)
        tables = -(-small // 512)
        others = max(int(size * load.kernel) - tables - 2 * 4, 0)
        kernel_codes = [KERNEL | 2] * 2 + [KERNEL] * (tables + others)
        kernel = world.take(len(kernel_codes))
        places = sorted(random.integers(0, len(orders), len(kernel)).tolist())
        places[:2] = [0, 0]
        life = 30 if random.random() < 0.8 else 1000
        node = len(processes) % nodes
        codes, both = [], []
        for place, order in enumerate(orders):
            here = [each for each, at in enumerate(places) if at == place]
            codes += [kernel_codes[each] for each in here] + [order]
            both += [kernel[each] for each in here] + [numbers[place]]
        world.piece(codes, both, node)
        processes.append(
            {"numbers": numbers, "orders": orders, "kernel": kernel, "life": life, "node": node}
            | {"kernel_pages": 2 * 4 + tables + others}
        )

    def end(index: int, tick: int) -> None:
        process = processes.pop(index)
        kernel = process["kernel"]
        count = int(len(kernel) * 0.2) if len(kernel) > 2 else 0
        stay = random.choice(np.array(kernel[2:]), min(count, len(kernel) - 2), replace=False).tolist()
        world.release(process["numbers"] + [each for each in kernel if each not in stay], process["node"])
        for part in np.array_split(stay, 4):
            if len(part):
                last = tick + 1 + int(random.exponential(200))
                staying.append((last, part.astype(int).tolist(), process["node"]))

    def free_part(process: dict, share: float) -> None:
        count = int(np.ceil(share * len(process["numbers"])))
        first = int(random.integers(len(process["numbers"]) - count + 1))
        world.release(process["numbers"][first : first + count], process["node"])
        del process["numbers"][first : first + count], process["orders"][first : first + count]

    targets = [level * memory for level in levels(load, ticks, random)]
    permanent = int(min(targets) * load.kernel / 2)
    world.piece([KERNEL] * permanent, world.take(permanent), 0)
    for tick, target in enumerate(targets):
        chances = random.random(len(processes))
        for index in reversed(range(len(processes))):
            if chances[index] < 1 / processes[index]["life"]:
                end(index, tick)
        for last, numbers, node in staying:
            if last == tick:
                world.release(numbers, node)
        staying = [each for each in staying if each[0] > tick]
        for index in np.flatnonzero(random.random(len(processes)) < 0.05):
            free_part(processes[index], random.uniform(0.1, 0.3))
        while used() > target + 0.002 * memory and processes:
            excess, index = used() - target, int(random.integers(len(processes)))
            if pages(processes[index]) <= 2 * excess:
                end(index, tick)
            else:
                free_part(processes[index], excess / pages(processes[index]))
        while used() < target - 0.002 * memory:
            begin(int(target - used()))
        yield world.tick()


def told(trace: CompileTree | FootprintTrace) -> Iterator[Tick]:
    for events in trace:
        nodes = [0] * len(events.codes) if events.nodes is None else events.nodes.tolist()
        assert (events.nodes is None) == (trace.nodes == 1) or not nodes
        yield list(zip(events.codes.tolist(), events.numbers.tolist(), nodes, strict=True))


@pytest.mark.parametrize(("cache", "nodes"), [(0.3, 2), (0.01, 1)])
def test_a_compilation_is_that_of_its_processes(cache, nodes):
    given = {"jobs": 3, "files": 7, "seed": 2, "cache": cache, "nodes": nodes}
    ticks = list(told(CompileTree(1 << 17, **given)))
    assert ticks == list(compilation(1 << 17, **given))
    assert CompileTree(1 << 17, jobs=3, files=7).ticks == 7 * (1 + 1 + 12 + 3 + 2) // 3 + 60


@pytest.mark.parametrize(("load", "nodes"), [(LIGHT, 1), (Footprint(0.2, 0.9, 0.4, 0.1, 0.3, 0.05, 16), 2)])
def test_a_footprint_is_that_of_its_processes(load, nodes):
    ticks = list(told(FootprintTrace(load, 1 << 14, ticks=90, seed=5, nodes=nodes)))
    assert ticks == list(footprint(load, 1 << 14, 90, 5, nodes))


def test_workloads_without_parameters_are_those_of_the_published_results():
    # Panwar 2015, "Results": 10 to 50 % and 30 to 80 % of memory.
    assert Footprint(0.1, 0.5, 0.3) == LIGHT and Footprint(0.3, 0.8, 0.46) == MEDIUM
    assert Footprint(0.1, 0.5, 0.3) == Footprint(
        0.1, 0.5, 0.3, kernel=0.02, large=0.1, process=0.004, burst=64
    )
    trace = FootprintTrace(LIGHT, 1 << 14)
    assert (trace.ticks, trace.seed, trace.nodes, trace.tick_s, trace.notes) == (1000, 1, 1, 1.0, [])
    assert trace.title == "footprint of 10% to 50%, seed 1, 1000 ticks"
    tree = CompileTree(1 << 14)
    assert (tree.jobs, tree.files, tree.seed, tree.cache, tree.nodes, tree.tick_s) == (
        16, 1500, 1, 0.3, 1, 0.1,
    )  # fmt: skip
    assert tree.title == "compile tree, 1500 files, 16 jobs"


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"files": 0}, {"cache": 0}, {"cache": 1}])
def test_compilations_without_files_jobs_or_cache_are_refused(wrong):
    CompileTree(1 << 14, jobs=1, files=1, cache=0.01)
    with pytest.raises(UserError, match="is out of range"):
        CompileTree(1 << 14, **wrong)


def test_footprints_at_their_limits_are_taken():
    Footprint(0.0, 0.95, 0.5, kernel=0.0, large=0.0)
    for wrong in (
        {"low": -0.01},
        {"high": 0.96},
        {"mean": 0.1},
        {"mean": 0.5},
        {"large": 0.9},
        {"kernel": -0.1},
    ):
        with pytest.raises(UserError):
            Footprint(**{"low": 0.1, "high": 0.5, "mean": 0.3} | wrong)
