# SPDX-License-Identifier: BSD-2-Clause
"""What checksums cost a history, and what merging of small files gains; ratios of medians within one run.

python -m bench.history [--files 8000]
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq
from litemrc.feed.history import stream
from litemrc.feed.history.history import sealed_files
from litemrc.feed.history.index import HistoryIndex
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.reading import HistoryReader
from litemrc.feed.history.retention import groups, merge

from tests.host.synthetic_epochs import EVER, START, epoch, keep, parameters

ROUNDS = 9
EPOCHS_OF_A_FILE = 2000


def ratio(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float, float]:
    """Return median milliseconds of both, taken in turn, and the ratio of the first to the second."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for work, taken in zip((one, other), times, strict=True):
            began = time.perf_counter()
            work()
            taken.append(1000 * (time.perf_counter() - began))
    first, second = map(median, times)
    return first, second, first / second


def appending(folder: Path) -> tuple[float, float, float]:
    """Append epochs in 8 contexts as records, and without length and checksum."""
    device = parameters(1)
    schema = EPOCHS.schema(device)
    epochs = [epoch(1, number, START + number, 8) for number in range(500)]

    def append() -> None:
        opened = stream.OpenStream(folder / "append.arrows", schema)
        for each in epochs:
            batch = EPOCHS.batch(schema, device, each, 0)
            assert batch is not None
            opened.append(batch)
        opened.close()
        opened.path.unlink()

    checked = stream.record

    def append_bare() -> None:
        stream.record = bytes
        try:
            append()
        finally:
            stream.record = checked

    return ratio(append, append_bare)


def reading(folder: Path) -> tuple[float, float, float]:
    """Read a sealed file verified, and as it was read before, without a look at any checksum."""
    keep(folder, [[START + number for number in range(EPOCHS_OF_A_FILE)]])
    (path,) = sealed_files(folder, "board", EPOCHS)
    return ratio(lambda: EPOCHS.read(path), lambda: pq.ParquetFile(path).read())


def query(folder: Path) -> float:
    """Return the median seconds of a query over all epochs, by a server's reader."""
    index = HistoryIndex(folder, "board")
    index.scan()
    reader, taken = HistoryReader(folder, "board", index), []
    for _ in range(3):
        began = time.perf_counter()
        rows = sum(len(part.rows) for part in reader.parts(EPOCHS, *EVER))
        taken.append(time.perf_counter() - began)
        assert rows
    return median(taken)


def merging(folder: Path, files: int) -> None:
    """Print times of a query over small files of two epochs, before and after they are merged."""
    (source,) = (keep(folder / "one", [[START, START + 1]]), *sealed_files(folder / "one", "board", EPOCHS))[
        1:
    ]
    _, rows = EPOCHS.read(source)
    target = folder / "many" / source.relative_to(folder / "one").parent
    target.mkdir(parents=True)
    for number in range(files):
        session = pa.array([number + 1] * len(rows), pa.int64())
        named = rows.set_column(0, rows.schema.field(0), session)
        path = target / f"{source.stem.partition('-')[0]}-{number + 1}-0.parquet"
        EPOCHS.seal(path, named, sequence=number + 1, recorded_us=1, merged=[], losses=[])
    before = query(folder / "many")
    index = HistoryIndex(folder / "many", "board")
    index.scan()
    began = time.perf_counter()
    for group in groups(index.snapshot().sealed):
        merged = merge(group, lambda: False)
        assert merged
        for file in merged[1]:
            file.path.unlink()
    took = time.perf_counter() - began
    after, left = query(folder / "many"), len(sealed_files(folder / "many", "board"))
    print(
        f"query over {files} files: {before:.2f} s; merged to {left} in {took:.1f} s: {after:.2f} s,"
        f" {before / after:.1f} times faster"
    )
    asked = min(timed(index.extent) for _ in range(100))
    print(f"extent from memory: {1e6 * asked:.0f} us")


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=8000)
    files = parser.parse_args().files
    with tempfile.TemporaryDirectory() as folder:
        row = "{}: {:.1f} ms, without checksums {:.1f} ms, ratio {:.3f}"
        print(row.format("500 epochs appended", *appending(Path(folder) / "a")))
        print(row.format(f"{EPOCHS_OF_A_FILE} epochs read", *reading(Path(folder) / "b")), flush=True)
        merging(Path(folder) / "c", files)


if __name__ == "__main__":
    main()
