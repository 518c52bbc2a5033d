"""The cache filter against the golden model, access by access."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.golden.monitor.cache_hierarchy import CacheModel, Memory
from litemrc.traces.cache_filter import INSTRUCTIONS, LEVELS, CacheHierarchy
from litemrc.traces.cache_shape import CacheShape, size_of
from litemrc.traces.formats.lackey_lines import Accesses


def accesses_of(rows: list[tuple[str, int, int]]) -> Accesses:
    kinds, addresses, sizes = zip(*rows, strict=True) if rows else ((), (), ())
    return Accesses(
        np.array([ord(kind) for kind in kinds], dtype=np.uint8),
        np.array(addresses, dtype=np.uint64),
        np.array(sizes, dtype=np.uint64),
    )


def filtered(hierarchy: CacheHierarchy, rows: list, cuts: list[int]) -> list[tuple[int, int, bool]]:
    """(index of the access, address, write) of all that reaches memory, the rows given block by block."""
    result = []
    for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        out = hierarchy.run(accesses_of(rows[begin:end]))
        positions = (out.positions + begin).tolist()
        result += zip(positions, out.addresses.tolist(), out.writes.tolist(), strict=True)
    return result


def modelled(
    levels: list[CacheShape], instructions: CacheShape | None, rows: list
) -> list[tuple[int, int, bool]]:
    """The same by the golden model."""
    memory = Memory()

    def cache(shape: CacheShape, below) -> CacheModel:
        return CacheModel(shape.sets, shape.ways, shape.line_bytes, below)

    below = memory
    for shape in reversed(levels[1:]):
        below = cache(shape, below)
    data = cache(levels[0], below)
    code = cache(instructions, below) if instructions else None
    result = []
    for index, (kind, address, size) in enumerate(rows):
        if kind != "I":
            data.access(address, size, write=kind in "SM")
        elif code:
            code.access(address, size, write=False)
        result += [(index, *transfer) for transfer in memory.transfers]
        memory.transfers.clear()
    return result


SHAPES = st.sampled_from(
    [
        ([CacheShape(64, 1, 16)], None),
        ([CacheShape(64, 2, 16)], CacheShape(32, 1, 16)),
        ([CacheShape(64, 4, 16), CacheShape(256, 2, 32)], CacheShape(64, 2, 32)),
        ([CacheShape(48, 3, 16), CacheShape(128, 4, 16), CacheShape(512, 4, 64)], CacheShape(32, 2, 8)),
    ]
)
ROW = st.tuples(st.sampled_from("IILSM"), st.integers(0, 40).map(lambda k: 13 * k), st.integers(1, 40))


@settings(max_examples=400, deadline=None)
@given(shapes=SHAPES, rows=st.lists(ROW, max_size=150), data=st.data())
def test_what_reaches_memory_is_that_of_the_golden_model(shapes, rows, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    assert filtered(CacheHierarchy(*shapes), rows, cuts) == modelled(*shapes, rows)


def test_the_default_caches_agree_with_the_golden_model_on_many_accesses():
    rng = np.random.default_rng(1)
    kinds = rng.choice(list("IIILS"), 60_000).tolist()
    near = rng.integers(0, 1 << 21, 60_000) // (1 + 999 * rng.integers(0, 2, 60_000))
    rows = list(zip(kinds, near.tolist(), rng.integers(1, 16, 60_000).tolist(), strict=True))
    transfers = filtered(CacheHierarchy(), rows, [10_000, 35_000])
    assert transfers == modelled(list(LEVELS), INSTRUCTIONS, rows)
    assert sum(write for _, _, write in transfers) > 1000


def test_the_defaults_are_those_of_the_paper():
    # Zhou et al. 2004, section 5.2: 4-way 16K L1 data, direct-mapped 16K L1 instruction, 32 B blocks; 256K
    # L2, 4-way, 64 B.
    assert list(map(str, LEVELS)) == ["16k:4:32", "256k:4:64"] and str(INSTRUCTIONS) == "16k:1:32"
    assert [shape.sets for shape in (*LEVELS, INSTRUCTIONS)] == [128, 1024, 512]


def test_counts_add_up():
    hierarchy = CacheHierarchy([CacheShape(64, 2, 16), CacheShape(128, 2, 16)], None)
    rows = [("S", 16 * k, 4) for k in range(20)] + [("L", 0, 4)] * 5
    transfers = filtered(hierarchy, rows, [])
    first, second = hierarchy.levels
    # 20 lines stored once, then line 0 fetched again and hit four times.
    assert (first.accesses, first.misses) == (25, 21)
    assert second.accesses == first.misses + first.write_backs
    assert len(transfers) == second.misses + second.write_backs


@pytest.mark.parametrize(
    "text", ["16k", "16k:4", "16k:4:33", "0:1:32", "16k:0:32", "15k:4:32", "16:4:32", "-16k:4:32", "a:b:c"]
)
def test_shapes_that_are_none_are_refused(text):
    with pytest.raises(UserError) as caught:
        CacheShape.parse(text)
    assert caught.value.remedy


def test_lines_must_not_get_shorter():
    with pytest.raises(UserError, match="shorter lines"):
        CacheHierarchy([CacheShape(64, 1, 32), CacheShape(64, 1, 16)], None)
    with pytest.raises(UserError, match="shorter lines"):
        CacheHierarchy([CacheShape(64, 1, 16), CacheShape(64, 1, 16)], CacheShape(64, 1, 32))


def test_sizes_have_units():
    assert [size_of(text) for text in ("1", "4k", "2M")] == [1, 4096, 2 << 20]
