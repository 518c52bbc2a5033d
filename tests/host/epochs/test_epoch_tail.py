# SPDX-License-Identifier: BSD-2-Clause
"""The columns of the tail: their file, older files, and the combined curve that a table makes of them."""

from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa
import pytest
from litemrc.epochs.columns import COLUMNS, DEFAULT_COLUMNS, open_group
from litemrc.epochs.files import KIND, UNITS, epoch_columns, read_epochs, write_epochs
from litemrc.epochs.processes import Owner
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError
from litemrc.files.sealed_parquet import write_sealed

from tests.host.epoch_rows import PARAMETERS, row


def write_version_3(path, table, **more):
    """The file as LiteMRC wrote it before there were tails: 11 columns."""
    columns = {
        name: pa.array(getattr(table, name).tolist(), pa.list_(pa.uint32()) if name == "hits" else None)
        if name == "hits" else pa.array(getattr(table, name))
        for name in COLUMNS if name not in DEFAULT_COLUMNS
    }  # fmt: skip
    described = {name: getattr(table, name) for name in (*PARAMETERS, "system", "interrupted")}
    described |= {
        "context_names": {str(context): name for context, name in table.context_names.items()},
        "processes": [asdict(process) for process in table.processes],
        "link_statistics": dict(table.link_statistics),
    }
    write_sealed(path, KIND, more.get("version", 3), columns, UNITS, described)


def test_a_tail_is_written_and_read(tmp_path, tail_table):
    write_epochs(tmp_path / "t.parquet", tail_table)
    table = read_epochs(tmp_path / "t.parquet")
    for name in COLUMNS:
        assert np.array_equal(getattr(table, name), getattr(tail_table, name)), name
    assert table.tail.tolist() == [[0] * 5, [0, 0, 4, 0, 0], [0, 0, 2, 8, 0], [0, 0, 0, 2, 8]]


def test_zeros_at_the_end_of_a_tail_are_not_written(tmp_path, tail_table):
    write_epochs(tmp_path / "t.parquet", tail_table.between(0, 1))
    assert read_epochs(tmp_path / "t.parquet").tail.tolist() == [[0] * 3, [0, 0, 4]]
    table = replace(tail_table.between(1, None), tail=[[0, 1, 0], [0, 0, 0]])
    assert epoch_columns(table.columns)["tail"].to_pylist() == [[0, 1], []]


def test_a_file_of_version_3_has_no_tail(tmp_path, epoch_table):
    write_version_3(tmp_path / "old.parquet", epoch_table)
    old = read_epochs(tmp_path / "old.parquet")
    assert old.hits.tolist() == epoch_table.hits.tolist()
    assert old.tail.shape == (4, 0) and old.resident.tolist() == [0] * 4 and not old.has_tail.any()
    assert old.curve(1).tail is None


def test_the_seal_of_a_file_of_version_3_still_holds(tmp_path, epoch_table):
    path = tmp_path / "old.parquet"
    write_version_3(path, epoch_table)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        read_epochs(path)


def test_a_new_file_without_the_new_columns_is_damaged(tmp_path, epoch_table):
    write_version_3(tmp_path / "t.parquet", epoch_table, version=4)
    with pytest.raises(UserError, match="resident"):
        read_epochs(tmp_path / "t.parquet")
    write_version_3(tmp_path / "t.parquet", epoch_table, version=2)
    with pytest.raises(UserError, match="version 2; this LiteMRC reads version 3 to 5"):
        read_epochs(tmp_path / "t.parquet")


def test_the_curve_continues_behind_the_memory(tail_table):
    """60 accesses, hits 20 10 0 0, refaults 0 0 6 10 8, and 20 evictions in each of epochs 1 and 2.

    The 6 and 2 hits of their second group are of these: hits 28 2 0 0. So 32 30 24 14 6 miss in 1 to 5
    groups.
    """
    curve = tail_table.curve(1)
    assert curve.sizes_pages.tolist() == [16, 32, 48, 64, 80]
    assert curve.miss_ratio.tolist() == [32 / 60, 30 / 60, 24 / 60, 14 / 60, 6 / 60]
    assert (curve.accesses, curve.misses) == (60, 6)
    assert (curve.tail.refaults, curve.tail.unidentified, curve.tail.open_refaults) == (24, 4, 0)
    assert (curve.tail.resident_least, curve.tail.resident_most) == (30, 44)
    assert (curve.tail.resident_pages, curve.tail.evicted_pages) == ((30 + 40 + 44) / 3, 30)


def test_the_operating_systems_own_tracker_does_not_see_the_kernel(tail_table):
    """So its hits 20 10 0 0 are the program's: 40 30 24 14 6 miss."""
    curve = replace(tail_table, engine="os").curve(1)
    assert curve.miss_ratio.tolist() == [40 / 60, 30 / 60, 24 / 60, 14 / 60, 6 / 60]


def test_without_the_tail_the_hardware_is_alone(tail_table):
    curve = tail_table.without_tail().curve(1)
    assert curve.sizes_pages.tolist() == [16, 32, 48, 64]
    assert curve.miss_ratio.tolist() == [40 / 60, 30 / 60, 30 / 60, 30 / 60]
    assert (curve.accesses, curve.misses, curve.tail) == (60, 30, None)
    assert tail_table.curve(0).tail is None and tail_table.curve(0).sizes_pages.size == 4


def test_a_tail_that_leads_by_an_epoch_leaves_no_negative_misses(tail_table):
    """Epoch 1: 20 accesses, hits 12, refaults 10: 2 more than misses. Later they are right."""
    leading = tail_table.between(1, 2).curve(1)
    assert leading.miss_ratio.tolist() == [14 / 20, 8 / 20, 6 / 20, 0]
    assert (leading.accesses, leading.misses) == (20, 0)
    assert tail_table.between(1, 3).curve(1).misses == 8 + 12 - 20


def test_refaults_count_fully_where_pages_are_sampled(sampled_table):
    """1 page of 4: 20 sampled accesses stand for 80. 8 refaults are 2 sampled ones, of 5 misses."""
    table = replace(
        sampled_table, tail=[[0, 0, 0, 0, 8], [0] * 5], resident=[40, 0], evicted=[9, 0], unidentified=[0, 0]
    )
    curve = table.curve(1)
    assert curve.sizes_pages.tolist() == [16, 32, 48, 64, 80]
    assert curve.miss_ratio.tolist() == [10 / 20, 7 / 20, 5 / 20, 5 / 20, 3 / 20]
    assert (curve.accesses, curve.misses) == (20, 3)
    fewer = replace(table, tail=[[0, 0, 0, 0, 1], [0] * 5]).curve(1)
    assert fewer.miss_ratio[-1] == (5 - 1 / 4) / 20, "a quarter of a sampled access is not lost"


def test_refaults_in_the_last_group_of_a_tail_may_need_more_memory():
    assert [open_group(groups) for groups in (4, 64, 128, 256)] == [7, 127, 255, 255]
    counters = {"accesses": 9, "misses": 5, "touched": 4, "dropped": 0, "hits": (4, 0, 0, 0), "resident": 9}
    rows = [row(epoch=n, context=1, tail=(0,) * (7 - n) + (2 + n,), **counters) for n in range(2)]
    tail = EpochTable.from_rows(rows, **PARAMETERS).curve(1).tail
    assert (tail.refaults, tail.open_refaults) == (2 + 3, 2)


def test_a_row_gives_the_counters_that_policies_take():
    of_epoch = row(
        epoch=1, context=1, accesses=20, misses=8, touched=8, hits=(6, 6, 0, 0), scale_log2=1,
        tail=(0, 0, 2, 8),
    )  # fmt: skip
    counters = EpochTable.from_rows([of_epoch], **PARAMETERS).counters(1)
    assert counters.combined_hits.tolist() == [6, 6, 1, 4]
    assert (counters.combined_misses, counters.accesses, counters.group_pages) == (8 - 5, 20, 32)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tail": np.zeros((3, 2), int)}, "column tail has shape"),
        ({"tail": np.zeros(4, int)}, "column tail has shape"),
        ({"resident": [1, 2]}, "column resident has shape"),
        ({"evicted": [0, 0, 0, -1]}, "column evicted holds values that are no uint32"),
        ({"tail": [[0], [0], [0], [2**32]]}, "column tail holds values that are no uint32"),
    ],
)
def test_columns_of_a_tail_of_wrong_shape_or_range_are_refused(tail_table, change, why):
    with pytest.raises((ValueError, OverflowError), match=why):
        replace(tail_table, **change)


def test_the_tail_of_several_owners_has_all_their_refaults(tail_table):
    both = tail_table.curve([Owner(0), Owner(1, tail_table.processes[0])])
    assert (both.accesses, both.misses, both.tail.refaults) == (65, 7, 24)
    assert both.tail.resident_least == 30, "of those with a memory cgroup"
    assert tail_table.curve().tail == both.tail
