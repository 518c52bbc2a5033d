# SPDX-License-Identifier: BSD-2-Clause
"""The exact engine by bytes answers what the golden stack of objects answers; curves of traces with sizes."""

from collections import OrderedDict
from collections.abc import Iterator

import litemrc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.golden.monitor.lru_stack import LruByteStack
from litemrc.native import _core
from litemrc.native.byte_stack import ByteStack
from litemrc.native.engines import make_engine
from litemrc.traces import open_trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.oracle_general import RECORD
from litemrc.traces.opening import create_trace

FAR = 0x9E3779B97F4A7C15  # times this, modulo 2^64, neighbouring objects lie far apart
ACCESSES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 50)), max_size=300)


@pytest.fixture(params=_core.instruction_sets())
def instruction_set(request) -> Iterator[str]:
    _core.use_instruction_set(request.param)
    yield request.param
    _core.use_instruction_set(None)


def engine_of(objects: np.ndarray, sizes: np.ndarray, cuts: list[int] | None = None) -> ByteStack:
    engine = ByteStack()
    for part, bytes_ in zip(np.split(objects, cuts or []), np.split(sizes, cuts or []), strict=True):
        engine.access(part, bytes_)
    return engine


def golden_distances(objects: np.ndarray, sizes: np.ndarray) -> list[int | None]:
    stack = LruByteStack()
    return [stack.access(key, size) for key, size in zip(objects.tolist(), sizes.tolist(), strict=True)]


def golden_histogram(distances: list[int | None], resolution: int) -> dict[int, int]:
    """Accesses by distance, rounded up to multiples of the resolution; 0: first accesses."""
    counts: dict[int, int] = {}
    for distance in distances:
        rounded = 0 if distance is None else -(-distance // resolution)
        counts[rounded] = counts.get(rounded, 0) + 1
    return counts


def counted(engine: ByteStack) -> dict[int, int]:
    histogram = engine.histogram()
    return {int(index): int(histogram[index]) for index in np.flatnonzero(histogram)}


@settings(deadline=None)
@given(ACCESSES, st.sampled_from([1, 1 << 40, FAR]), st.lists(st.integers(0, 300), max_size=5))
def test_histogram_is_the_golden_stacks_over_any_chunks(accesses, factor: int, cuts: list[int]) -> None:
    objects = np.array([key for key, _ in accesses], np.uint64) * np.uint64(factor)
    sizes = np.array([size for _, size in accesses], np.uint32)
    engine = engine_of(objects, sizes, sorted(min(cut, len(accesses)) for cut in cuts))
    assert engine.resolution_bytes == 1
    assert counted(engine) == golden_histogram(golden_distances(objects, sizes), 1)


@settings(deadline=None)
@given(ACCESSES.filter(len))
def test_curve_is_the_share_of_distances_above_each_size(accesses) -> None:
    objects = np.array([key for key, _ in accesses], np.uint64)
    sizes = np.array([size for _, size in accesses], np.uint32)
    curve = engine_of(objects, sizes).curve()
    distances = golden_distances(objects, sizes)
    assert (curve.accesses, curve.misses) == (len(accesses), distances.count(None))
    assert (curve.page_bytes, curve.resolution_pages) == (1, 1)
    for memory in range(1, 1600, 7):
        missed = sum(distance is None or distance > memory for distance in distances)
        assert curve.at(bytes=memory) == missed / len(accesses)


@settings(deadline=None)
@given(ACCESSES.filter(len), st.integers(1, 400))
def test_objects_of_constant_size_hit_as_in_an_lru_memory_that_admits_every_object(accesses, memory) -> None:
    """The memory evicts the least recently used objects until the accessed one fits."""
    objects = [key for key, _ in accesses]
    sizes = [key * 7 % 50 + 1 for key in objects]
    held: OrderedDict[int, int] = OrderedDict()
    hits = 0
    for key, size in zip(objects, sizes, strict=True):
        hits += key in held
        held[key] = size
        held.move_to_end(key)
        while sum(held.values()) > memory:
            held.popitem(last=False)
    curve = engine_of(np.array(objects, np.uint64), np.array(sizes, np.uint32)).curve()
    assert curve.at(bytes=memory) == (len(objects) - hits) / len(objects)


@pytest.mark.parametrize("factor", [1, FAR])
def test_long_traces_outlive_renumbering(instruction_set: str, factor: int) -> None:
    """With 64 Ki slots 150,000 accesses renumber twice. Half of them are local, half go everywhere."""
    generator = np.random.default_rng(2004)
    near = generator.integers(0, 30, 150_000)
    keys = np.where(generator.random(150_000) < 0.5, near, generator.integers(0, 300, 150_000))
    sizes = generator.integers(0, 100_000, 150_000).astype(np.uint32)  # another one at each access
    objects = keys.astype(np.uint64) * np.uint64(factor)
    engine = engine_of(objects, sizes, [100, 70_000])
    distances = golden_distances(objects, sizes)
    longest = max(distance for distance in distances if distance is not None)
    assert engine.resolution_bytes == 2 ** int(np.ceil(np.log2(longest / 2**18)))
    assert counted(engine) == golden_histogram(distances, engine.resolution_bytes)


@pytest.mark.parametrize("footprint", [1, 4095, 65_536, 300_001])
@pytest.mark.parametrize("factor", [1, FAR])
def test_loops_hit_at_the_bytes_of_all_objects(instruction_set: str, footprint: int, factor: int) -> None:
    """Every object of a loop comes back after all others: its distance is the sum of all sizes."""
    objects = np.tile(np.arange(footprint, dtype=np.uint64) * np.uint64(factor), 3)
    sizes = np.tile(np.arange(footprint, dtype=np.uint32) % 1000 + 1, 3)
    curve = engine_of(objects, sizes).curve()
    whole = int(sizes[:footprint].sum(dtype=np.uint64))
    assert curve.at(bytes=whole - curve.resolution_pages) == 1
    assert curve.sizes_pages.tolist() == [-(-whole // curve.resolution_pages) * curve.resolution_pages]
    assert curve.miss_ratio.tolist() == [1 / 3]


def test_distances_stay_exact_when_the_objects_reach_four_gigabytes(instruction_set: str) -> None:
    """Until 2^32 bytes the numbers have 32 bits; 2,000 objects of up to 8 MB pass that."""
    generator = np.random.default_rng(32)
    objects = generator.integers(0, 2000, 6000).astype(np.uint64) * np.uint64(FAR)
    sizes = generator.integers(1 << 20, 8 << 20, 6000).astype(np.uint32)
    engine = engine_of(objects, sizes, [500, 3000])
    assert counted(engine) == golden_histogram(golden_distances(objects, sizes), engine.resolution_bytes)


def test_objects_of_four_gigabytes_add_up() -> None:
    most = (1 << 32) - 1
    sizes = np.full(6, most, np.uint32)
    curve = engine_of(np.array([1, 2, 3, 1, 2, 3], np.uint64), sizes).curve()
    assert curve.resolution_pages == 1 << 16  # 3 * 2^32 bytes are 2^17.6 times 2^16
    assert curve.sizes_pages.tolist() == [3 << 32]


def test_objects_of_one_size_have_the_distances_of_pages() -> None:
    pages = np.random.default_rng(1).integers(0, 500, 20_000).astype(np.uint64)
    by_pages, by_bytes = make_engine("exact"), make_engine("exact", by="bytes")
    by_pages.access(pages)
    by_bytes.access(pages, np.full(pages.size, 512, np.uint32))
    expected = by_pages.curve(512)
    at = by_bytes.curve().at_sizes(expected.sizes_pages * 512)
    assert at.tolist() == expected.miss_ratio.tolist()


def test_an_object_that_changes_its_size_counts_with_the_new_one() -> None:
    # a comes back after b and itself (20 + 5 bytes), then b after a (5 + 1), and a after b (1 + 5).
    objects, sizes = np.array([0, 1, 0, 1, 0], np.uint64), np.array([10, 20, 5, 1, 5], np.uint32)
    assert counted(engine_of(objects, sizes)) == {0: 2, 25: 1, 6: 2}


def test_an_object_larger_than_the_memory_never_hits_and_displaces_all_others() -> None:
    # small, large, small, large with 10 and 1000 bytes: everything comes back at 1010 bytes.
    curve = engine_of(np.array([0, 1, 0, 1], np.uint64), np.array([10, 1000] * 2, np.uint32)).curve()
    assert (curve.at(bytes=1009), curve.at(bytes=1010)) == (1, 0.5)


def test_no_access_has_an_empty_curve() -> None:
    curve = ByteStack().curve()
    assert (curve.accesses, curve.misses, curve.sizes_pages.size) == (0, 0, 0)


def test_first_accesses_miss_everywhere() -> None:
    curve = engine_of(np.array([1, 2], np.uint64), np.array([4096, 1], np.uint32)).curve()
    assert (curve.misses, curve.at("1G")) == (2, 1)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (None, "no object sizes"),
        ([1], "2 pages, but sizes of shape"),
        ([1, -2], "an object cannot have -2 bytes"),
        ([1, 1 << 32], "an object cannot have 4294967296 bytes"),
        ([1.5, 2.0], "sizes must be integers"),
    ],
)
def test_bad_sizes_are_refused_and_change_nothing(sizes, message: str) -> None:
    engine = ByteStack()
    with pytest.raises(UserError, match=message):
        engine.access(np.array([1, 2]), sizes)
    assert engine.accesses == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"name": "shards", "by": "bytes"}, "engine shards measures by pages only"),
        ({"name": "exact", "by": "bytes", "threads": 2}, "by bytes takes 1 thread"),
        ({"name": "exact", "by": "lines"}, "by must be pages or bytes"),
    ],
)
def test_engines_refuse_what_they_cannot_measure_by(parameters, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_engine(**parameters)


@pytest.fixture
def objects(tmp_path):
    """Objects 1, 2, 1, 2 of 100 and 900 bytes: both come back at 1,000 bytes."""
    records = np.zeros(4, RECORD)
    records["page"], records["size"], records["next"] = [1, 2, 1, 2], [100, 900] * 2, -1
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(records.tobytes())
    return path


def test_objects_of_a_trace_are_measured_by_their_sizes(objects) -> None:
    with pytest.warns(UserWarning, match="100 to 900 bytes"):
        curve = litemrc.mrc(objects, by="bytes")
    assert (curve.page_bytes, curve.at(bytes=999), curve.at(bytes=1000)) == (1, 1, 0.5)


def test_sizes_survive_a_conversion(objects, tmp_path) -> None:
    with open_trace(objects) as trace, create_trace(tmp_path / "u.oracleGeneral.zst") as writer:
        for chunk in trace:
            writer.write(chunk)
    with open_trace(tmp_path / "u.oracleGeneral.zst") as trace:
        assert [chunk.sizes.tolist() for chunk in trace] == [[100, 900, 100, 900]]


def test_chunks_of_several_contexts_keep_their_sizes() -> None:
    """Each context has an object of its own size, accessed twice."""
    chunk = Chunk(
        np.array([1, 2, 1, 2], np.uint64),
        contexts=np.array([5, 6, 5, 6], np.uint32),
        sizes=np.array([100, 900] * 2, np.uint32),
    )
    curves = litemrc.mrc_by_context([chunk], by="bytes")
    assert {name: curve.sizes_pages.tolist() for name, curve in curves.items()} == {
        "context 5": [100],
        "context 6": [900],
    }


def test_pages_without_sizes_are_refused() -> None:
    with pytest.raises(UserError, match="no object sizes"):
        litemrc.mrc([1, 2, 1], by="bytes")
