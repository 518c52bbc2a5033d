# SPDX-License-Identifier: BSD-2-Clause
"""Damage of a history's files is named with what was lost; all else is read, and nothing is deleted."""

import random
from pathlib import Path

import pyarrow as pa
import pytest
from litemrc.errors import UserError
from litemrc.feed.history.history import History, sealed_files
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.layout import open_files
from litemrc.feed.history.reading import HistoryReader
from litemrc.feed.history.stream import read_stream

from tests.host.synthetic_epochs import EVER, START, epoch, keep, parameters, times_kept

TIMES = [START + number for number in range(6)]
LATER = [START + 100, START + 101]


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_bit_flipped_anywhere_in_a_sealed_file_is_reported(tmp_path: Path) -> None:
    keep(tmp_path, [TIMES, LATER])
    path = min(sealed_files(tmp_path, "board", EPOCHS))
    content, dice = path.read_bytes(), random.Random(7)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    seals = [content.index(b"litemrc-crc32:"), content.index(b"litemrc-footer-crc32:")]
    bytes_ = {*dice.sample(range(len(content)), 120), *range(8), *range(len(content) - 9, len(content))}
    for seal in seals:
        bytes_ |= set(range(seal, seal + 30))
    for place in sorted(bytes_):
        path.write_bytes(flipped(content, 8 * place + dice.randrange(8)))
        found, damages = times_kept(tmp_path)
        assert found == LATER, place
        (damage,) = damages
        assert damage.file == str(path.relative_to(tmp_path))
        if place < footer:  # the footer still says what was lost
            assert damage.lost.startswith("6 epochs that arrived from 2026-"), damage
            assert (damage.first, damage.last) == (TIMES[0], TIMES[-1])
        with pytest.raises(UserError, match="lost: ") as refused:
            list(HistoryReader(tmp_path, "board").parts(EPOCHS, *EVER))
        assert str(path) in str(refused.value)
        assert HistoryReader(tmp_path, "board").damages(EPOCHS, *EVER) == damages
    path.write_bytes(content)
    assert times_kept(tmp_path) == (TIMES + LATER, [])


def test_damage_of_another_time_is_not_reported(tmp_path: Path) -> None:
    keep(tmp_path, [TIMES, LATER])
    path = min(sealed_files(tmp_path, "board", EPOCHS))
    path.write_bytes(flipped(path.read_bytes(), 8 * 100))
    assert times_kept(tmp_path, LATER[0], LATER[1]) == (LATER, [])
    assert len(times_kept(tmp_path, TIMES[2], TIMES[2])[1]) == 1


def left_open(folder: Path, times: list[float]) -> Path:
    """Leave a stream as a killed process does: the lock goes with the process."""
    history = keep(folder, [times], close=False)
    history._sealing.shutdown()
    history._locked.close()
    (path,) = open_files(folder, "board", EPOCHS)
    return path


def test_damage_anywhere_in_a_stream_loses_its_record_alone(tmp_path: Path) -> None:
    path = left_open(tmp_path, TIMES)
    content, dice = path.read_bytes(), random.Random(3)
    whole = read_stream(path).table
    for place in dice.sample(range(len(content)), 200):
        size = dice.choice([1, 1, 40])
        damaged = bytearray(content)
        damaged[place] ^= 1 << dice.randrange(8)
        damaged[place : place + size] = bytes(byte ^ 0x55 for byte in damaged[place : place + size])
        path.write_bytes(damaged[: len(content)])
        read = read_stream(path)
        assert read.torn == 0 and len(read.damages) in (1, 2)
        kept = read.table.column("epoch").to_pylist()
        missing = set(range(6)) - set(kept)
        assert len(missing) <= 2
        expected = whole.filter(pa.array([number not in missing for number in whole["epoch"].to_pylist()]))
        assert read.table.equals(expected), place


def test_a_damaged_stream_is_sealed_without_what_is_lost_and_kept(tmp_path: Path) -> None:
    path = left_open(tmp_path, TIMES)
    content = path.read_bytes()
    damaged = bytearray(content)
    place = read_record_begin(content, 3)
    damaged[place + 40] ^= 1
    path.write_bytes(damaged)
    said: list[str] = []
    for _ in range(2):  # while it is open, and when it is Parquet
        found, (damage,) = times_kept(tmp_path)
        assert found == TIMES[:3] + TIMES[4:]
        assert damage.file == str(path.relative_to(tmp_path))
        assert damage.what.startswith(f"bytes {place} to ")
        assert damage.lost.startswith("1 epochs, those between epoch 2 (2026-")
        assert (damage.first, damage.last) == (TIMES[2], TIMES[4])
        History(tmp_path, "board", say=said.append).close()
    assert any("are damaged; lost: 1 epochs" in text for text in said), said
    kept = path.with_name(path.name + ".damaged")
    assert kept.read_bytes() == bytes(damaged) and not path.exists()
    assert times_kept(tmp_path, *EVER)[0] == TIMES[:3] + TIMES[4:]


def read_record_begin(content: bytes, epoch_number: int) -> int:
    """Return where the record of an epoch begins: schema, 0, schema, 1, 2, 3 ..."""
    from litemrc.feed.history.stream import records

    return [each.begin for each in records(content)][2 + epoch_number]


def test_a_stream_of_garbage_stops_no_server(tmp_path: Path) -> None:
    path = left_open(tmp_path, TIMES)
    for content in (b"garbage" * 1000, bytes(5000), b"\xff\xff\xff\xff" + b"\xff\xff\xff\x7f" * 99):
        path.write_bytes(content)
        said: list[str] = []
        History(tmp_path, "board", say=said.append).close()
        found, damages = times_kept(tmp_path)
        assert not found and damages and damages[0].file.startswith(f"open/board/epochs/{path.name}.damaged")
        assert any(path.name in text for text in said), said
        (kept,) = path.parent.glob("*.damaged")
        assert kept.read_bytes() == content
        kept.unlink()


@pytest.mark.parametrize("damage", ["none", "tail", "head", "middle"])
def test_a_stream_of_the_former_version_is_salvaged(tmp_path: Path, damage: str) -> None:
    path = left_open(tmp_path, TIMES)
    table = read_stream(path).table
    content = bytearray()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    content += sink.getvalue().to_pybytes()[:-8]  # without the mark of its end, as it was written
    if damage == "tail":
        del content[-100:]
    elif damage != "none":
        place = 0x60 if damage == "head" else len(content) // 2
        content[place : place + 500] = bytes([255]) * 500
    path.write_bytes(content)
    _, (unread,) = times_kept(tmp_path)  # not in this process
    assert "former version" in unread.what
    said: list[str] = []
    History(tmp_path, "board", say=said.append).close()
    found, damages = times_kept(tmp_path)
    if damage == "none":
        assert (found, damages, said) == (TIMES, [], [])
    else:
        assert found == TIMES[: {"tail": 5, "head": 0, "middle": len(found)}[damage]] and len(found) < 6
        assert len(damages) == 1 and "torn or damaged" in " ".join(said)
        assert path.with_name(path.name + ".damaged").read_bytes() == content


def test_sealed_files_of_the_former_version_are_read_and_verified(tmp_path: Path) -> None:
    keep(tmp_path, [TIMES])
    (path,) = sealed_files(tmp_path, "board", EPOCHS)
    write_as_formerly(path)
    assert times_kept(tmp_path) == (TIMES, [])
    content = path.read_bytes()
    for place in random.Random(5).sample(range(len(content)), 60):
        path.write_bytes(flipped(content, 8 * place))
        found, damages = times_kept(tmp_path)
        assert (found, len(damages)) == ([], 1), place


def write_as_formerly(path: Path) -> None:
    """Rewrite a sealed file without what this version added to it."""
    import json
    import re
    import zlib

    import pyarrow.parquet as pq

    table = pq.read_table(path)
    described = json.loads(table.schema.metadata[b"litemrc"])
    for name in ("sequence", "recorded_us", "merged", "losses"):
        del described[name]
    metadata = {b"litemrc": json.dumps(described).encode(), b"litemrc_seal": b"litemrc-crc32:00000000"}
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(metadata), sink, compression="zstd", write_page_checksum=True
    )
    content = sink.getvalue().to_pybytes()
    seal = b"litemrc-crc32:%08x" % zlib.crc32(content)
    path.write_bytes(re.sub(rb"litemrc-crc32:0{8}", seal, content))


def test_a_clock_that_steps_back_hides_no_epoch(tmp_path: Path) -> None:
    ahead = [START + 7200 + second for second in range(60)]
    behind = [START + 60 + second for second in range(1800)]
    history = keep(tmp_path, [ahead + behind], close=False)
    for _ in ("open", "sealed"):
        found, damages = times_kept(tmp_path, START + 600, START + 1200)
        assert found == [START + second for second in range(600, 1201)] and not damages
        for extent in (HistoryReader(tmp_path, "board").extent(), history.index.extent()):
            assert (extent.first, extent.last, extent.epochs) == (START + 60, START + 7259, 1860)
        history.close()
    (path,) = sealed_files(tmp_path, "board", EPOCHS)
    write_as_formerly(path)
    assert len(times_kept(tmp_path, START + 600, START + 1200)[0]) == 601


def test_a_clock_that_steps_back_overwrites_no_file(tmp_path: Path) -> None:
    """The same session number and time again, as a board without a battery starts at the same time."""
    for _ in range(2):
        history = History(tmp_path, "board")
        history(parameters(5))
        history(epoch(5, 0, START))
        history.close()
    assert times_kept(tmp_path)[0] == [START, START]
