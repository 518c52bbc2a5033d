# SPDX-License-Identifier: BSD-2-Clause
"""A curve of parts on a cluster is the curve of one engine; what parts lack is an error with its place."""

from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import dask
import fsspec
import litemrc
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker
from litemrc.cluster.curve import ClusterMeasuring, measure
from litemrc.cluster.joined_run import JoinedRun
from litemrc.cluster.part_task import Task
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.opening import create_trace
from litemrc.traces.sections import Section
from litemrc.traces.trace import WriteOptions

from tests.timeouts import wait_until

PAGES = (np.random.default_rng(5).random(120_000) ** 3 * 9000).astype(np.uint64)
TIMES = np.arange(PAGES.size, dtype=np.uint64)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Three workers in threads of this process, which share fsspec's memory with it."""
    with (
        LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            processes=False,
            memory_limit=0,  # of a worker; theirs would be that of all tests in this process
            dashboard_address=None,
            silence_logs="CRITICAL",
        ) as cluster,
        Client(cluster, set_as_default=False) as opened,
    ):
        yield opened


def write_parts(folder: Path, suffix: str, pages: np.ndarray = PAGES, page_bytes: int = 4096) -> str:
    """Write the pages as 11 files of different lengths; return their folder."""
    folder.mkdir()
    borders = np.r_[0, 17, 18, 1000, np.linspace(2000, pages.size, 8).astype(int)]
    for number, (start, stop) in enumerate(pairwise(borders), 1):
        with create_trace(folder / f"part-{number}{suffix}", options=WriteOptions(page_bytes)) as writer:
            writer.write(Chunk(pages[start:stop], times=TIMES[start:stop]))
    return str(folder)


def same(found: Curve, wanted: Curve) -> bool:
    """Return whether two curves are equal to the last bit, but for their names."""
    names = [field.name for field in fields(Curve) if field.name not in ("name", "aliases")]
    return all(np.array_equal(getattr(found, name), getattr(wanted, name)) for name in names)


@pytest.mark.parametrize("suffix", [".oracleGeneral", ".parquet", ".txt", ".oracleGeneral.zst"])
@pytest.mark.parametrize("parts", [1, 4, 100])
def test_a_folder_has_the_curve_of_its_references(
    client: Client, tmp_path: Path, suffix: str, parts: int
) -> None:
    folder = write_parts(tmp_path / "t", suffix)
    found = measure(client, folder, ClusterMeasuring(parts=parts))
    assert same(found.curve, litemrc.mrc(PAGES))
    assert found.stopped is None
    idle = "1 part for 3 workers: compressed streams and text are not cut"
    assert found.notes == ((idle,) if parts == 1 else ())


@pytest.mark.parametrize(
    "parameters",
    [{}, {"sample_rate": 0.1}, {"sample_rate": 0.1, "band": False}],
    ids=["default", "10 %", "no band"],
)
def test_shards_is_the_same_estimate_and_band(client: Client, tmp_path: Path, parameters: dict) -> None:
    folder = write_parts(tmp_path / "t", ".oracleGeneral")
    found = measure(client, folder, ClusterMeasuring("shards", parameters))
    wanted = litemrc.mrc(PAGES, "shards", **parameters)
    assert same(found.curve, wanted)
    assert (found.curve.low is None) == (parameters.get("band") is False)


@pytest.mark.parametrize("band", [True, False])
def test_a_sample_of_a_fixed_size_is_that_of_one_machine(client: Client, tmp_path: Path, band: bool) -> None:
    folder = write_parts(tmp_path / "t", ".oracleGeneral")
    parameters = {"sample_pages": 300, "band": band}
    found = measure(client, folder, ClusterMeasuring("shards", parameters)).curve
    wanted = litemrc.mrc(PAGES, "shards", **parameters)
    assert (found.accesses, found.misses) == (wanted.accesses, wanted.misses)
    assert np.array_equal(found.sizes_pages, wanted.sizes_pages)
    # Sums of weights, in another order: rounding of up to 10^5 additions.
    np.testing.assert_allclose(found.miss_ratio, wanted.miss_ratio, rtol=0, atol=1e-11)
    if band:
        np.testing.assert_allclose(found.high, wanted.high, rtol=0, atol=1e-7)


def test_one_file_is_cut_and_a_url_is_read_by_the_workers(client: Client, tmp_path: Path) -> None:
    with create_trace(tmp_path / "a.oracleGeneral") as writer:
        writer.write(Chunk(PAGES))
    wanted = litemrc.mrc(PAGES)
    assert same(measure(client, str(tmp_path / "a.oracleGeneral"), ClusterMeasuring(parts=9)).curve, wanted)
    fsspec.filesystem("memory").put(write_parts(tmp_path / "t", ".parquet"), "/curves/t", recursive=True)
    for url in ("memory://curves/t", "memory://curves/t/*.parquet"):
        assert same(measure(client, url, ClusterMeasuring()).curve, wanted)


def test_the_page_size_of_the_first_file_is_that_of_the_curve(client: Client, tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "t", ".parquet", page_bytes=16384)
    assert measure(client, folder, ClusterMeasuring()).curve.page_bytes == 16384
    with pytest.raises(UserError, match="pages of 4096 bytes are asked for"):
        measure(client, folder, ClusterMeasuring(page_bytes=4096))
    other = write_parts(tmp_path / "u", ".parquet", page_bytes=8192)
    Path(other, "part-7.parquet").rename(Path(folder, "part-7.parquet"))
    with pytest.raises(UserError, match="pages of 8192 bytes come after pages of 16384 bytes") as caught:
        measure(client, folder, ClusterMeasuring())
    assert caught.value.where == f"{folder}/part-7.parquet"


def test_time_that_falls_between_parts_is_refused_at_the_later_one(client: Client, tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "t", ".oracleGeneral")
    one, other = Path(folder, "part-5.oracleGeneral"), Path(folder, "part-6.oracleGeneral")
    one.rename(tmp_path / "kept")
    other.rename(one)
    (tmp_path / "kept").rename(other)
    with pytest.raises(
        UserError, match=r"time \d+ comes after time \d+, at which the part before it ends"
    ) as caught:
        measure(client, folder, ClusterMeasuring(parts=100))
    assert caught.value.where.startswith(str(other))


def test_a_damaged_part_is_refused_at_its_place(client: Client, tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "t", ".oracleGeneral.zst")
    damaged = Path(folder, "part-8.oracleGeneral.zst")
    damaged.write_bytes(damaged.read_bytes()[:-20])
    with pytest.raises(UserError, match="the zstd file is truncated or damaged") as caught:
        measure(client, folder, ClusterMeasuring())
    assert caught.value.where.startswith(f"{damaged}, byte ")
    assert caught.value.remedy == "download or create the file again"


def test_a_missing_part_is_refused_unless_gaps_are_allowed(client: Client, tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "t", ".txt")
    Path(folder, "part-4.txt").unlink()
    with pytest.raises(UserError, match="1 of the numbered parts 1 to 11 are missing: 4"):
        measure(client, folder, ClusterMeasuring())
    # part 4 has the references 1000 to 1999
    wanted = litemrc.mrc(np.r_[PAGES[:1000], PAGES[2000:]])
    assert same(measure(client, folder, ClusterMeasuring(allow_gaps=True)).curve, wanted)


def test_parts_with_contexts_need_one_stack_of_all(client: Client, tmp_path: Path) -> None:
    contexts = (PAGES % np.uint64(3)).astype(np.uint32)
    with create_trace(tmp_path / "a.parquet") as writer:
        writer.write(Chunk(PAGES, contexts=contexts))
    with pytest.raises(UserError, match="the trace has contexts"):
        measure(client, str(tmp_path / "a.parquet"), ClusterMeasuring())
    found = measure(client, str(tmp_path / "a.parquet"), ClusterMeasuring(all_contexts=True))
    assert same(found.curve, litemrc.mrc(PAGES))


def test_no_reference_and_no_sampled_page_are_refused(client: Client, tmp_path: Path) -> None:
    for name in ("a-1.parquet", "a-2.parquet"):
        with create_trace(tmp_path / name):
            pass
    with pytest.raises(UserError, match="the trace has no reference"):
        measure(client, str(tmp_path), ClusterMeasuring())
    with pytest.raises(UserError, match="no page of the trace is in the sample"):
        measure(client, "gen:loop?pages=2&n=1000", ClusterMeasuring("shards", {"sample_rate": 1e-6}))


def test_a_part_with_no_row_changes_nothing(client: Client, tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "t", ".parquet")
    with create_trace(Path(folder, "part-12.parquet")) as writer:
        writer.write(Chunk(PAGES[:0], times=TIMES[:0]))
    assert same(measure(client, folder, ClusterMeasuring(parts=100)).curve, litemrc.mrc(PAGES))


def test_notes_of_readers_have_their_part(client: Client, tmp_path: Path) -> None:
    records = np.zeros(100, np.dtype([("time", "<u4"), ("page", "<u8"), ("size", "<u4"), ("next", "<i8")]))
    for number in (1, 2):
        records["size"] = np.where(np.arange(100) == 0, 100, 300)
        (tmp_path / f"{number}.oracleGeneral").write_bytes(records.tobytes())
    found = measure(client, str(tmp_path), ClusterMeasuring(parts=2))
    note = "objects have 100 to 300 bytes; a curve by pages counts each as one"
    assert found.notes[:2] == tuple(f"{tmp_path}/{number}.oracleGeneral: {note}" for number in (1, 2))


def test_a_worker_with_another_build_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litemrc.cluster.curve.build", lambda: "0.0.1+ab")
    with pytest.raises(UserError, match=r"a worker has LiteMRC .+, and this is 0\.0\.1\+ab") as caught:
        measure(client, "gen:loop?n=1000", ClusterMeasuring())
    assert caught.value.where.startswith("inproc://")


def test_workers_that_are_all_paused_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask starts no task where memory is full: the work would wait forever."""
    monkeypatch.setattr("litemrc.cluster.joined_run.PAUSED_FOR_S", 0.5)
    with (
        dask.config.set({"distributed.worker.memory.pause": 0.01}),
        LocalCluster(
            n_workers=2, processes=False, memory_limit="1GiB", dashboard_address=None, silence_logs="CRITICAL"
        ) as cluster,
        Client(cluster, set_as_default=False) as opened,
    ):
        wait_until(lambda: {w["status"] for w in opened.scheduler_info(-1)["workers"].values()} == {"paused"})
        with pytest.raises(UserError, match="paused all 2 workers, as their memory is full") as caught:
            measure(opened, "gen:loop?n=1000", ClusterMeasuring())
    assert caught.value.where.endswith(", of 1 GiB")


def test_workers_that_die_with_a_part_are_an_error_that_names_it() -> None:
    parts = [(Section("a.parquet"),), (Section("b.parquet"),)]
    run = JoinedRun(SimpleNamespace(scheduler=None), Task("litemrc-0", "1.0", "exact"), parts)
    for key, where in (
        ("part-litemrc-0-1", "b.parquet"),
        ("join-litemrc-0-0-2", "the parts from a.parquet on, joined"),
    ):
        died = SimpleNamespace(status="error", exception=lambda key=key: KilledWorker(key, None, 3))
        with pytest.raises(UserError, match="4 workers died with the same task") as caught:
            run._check(died)
        assert caught.value.where == where
    with pytest.raises(UserError, match="the scheduler has gone"):
        run._check(SimpleNamespace(status="cancelled"))
