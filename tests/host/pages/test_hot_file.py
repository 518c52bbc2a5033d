# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of hot pages: written an epoch at a time, read whole, or refused."""

from dataclasses import replace

import pytest
from litemrc.errors import UserError
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import HotListWriter, read_hot_lists
from litemrc.pages.hot_lists import HotList, HotLists

DESCRIBED = {"page_bytes": 4096, "base_address": 1 << 30, "settings": {"threshold": 2}, "source": "a test"}


def row(epoch):
    frames = tuple(range(epoch % 5))
    return HotList(epoch, 1000 + epoch, epoch % 2 == 1, False, frames, tuple(9 - f for f in frames))


def writer_of(path):
    return HotListWriter(path, **DESCRIBED)


@pytest.mark.parametrize("epochs", [0, 1, 256, 700])  # a row group has 256 rows
def test_what_was_written_is_read(tmp_path, epochs):
    writer = writer_of(tmp_path / "h.parquet")
    rows = tuple(row(3 * n) for n in range(epochs))
    for each in rows:
        writer.append(each)
    writer.close(interrupted=True)
    assert read_hot_lists(tmp_path / "h.parquet") == HotLists(rows=rows, interrupted=True, **DESCRIBED)
    assert writer.epochs == epochs


def test_a_writer_gives_the_file_its_name_at_the_end(tmp_path):
    (tmp_path / "h.parquet").write_text("what was there")
    writer = writer_of(tmp_path / "h.parquet")
    writer.append(row(1))
    assert (tmp_path / "h.parquet").read_text() == "what was there"
    writer.close(path=tmp_path / "other.parquet")
    assert read_hot_lists(tmp_path / "other.parquet").rows == (row(1),)
    discarded = writer_of(tmp_path / "d.parquet")
    discarded.append(row(1))
    discarded.discard()
    assert not (tmp_path / "d.parquet").exists()


def test_epochs_that_do_not_ascend_are_refused(tmp_path):
    writer = writer_of(tmp_path / "h.parquet")
    writer.append(row(4))
    with pytest.raises(ValueError, match="epoch 4 after 4"):
        writer.append(row(4))
    with pytest.raises(ValueError, match="ascend"):
        HotLists(rows=(row(4), row(4)), **DESCRIBED)
    writer.discard()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"counts": (9,)}, "2 hot pages have 1 counts"),
        ({"counts": (8, 9)}, "ascend"),
        ({"frames": (1, 1)}, "twice"),
        ({"accesses": 16}, "17 of 16 accesses"),
    ],
)
def test_lists_that_contradict_themselves_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        replace(row(2), **change)


def test_a_damaged_file_and_one_of_another_kind_are_refused(tmp_path):
    path = tmp_path / "h.parquet"
    writer = writer_of(path)
    writer.append(row(2))
    writer.close()
    with pytest.raises(UserError, match="page bitmaps"):
        read_page_bitmaps(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        read_hot_lists(path)
