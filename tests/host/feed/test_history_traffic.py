# SPDX-License-Identifier: BSD-2-Clause
"""A history keeps the DRAM commands of each epoch, and one of a device that did not count them is read."""

import json
from dataclasses import replace
from pathlib import Path

from litemrc.feed.history.history import History
from litemrc.feed.history.kinds import TRAFFIC, parameters_of
from litemrc.feed.history.reading import HistoryReader, read_history
from litemrc.serve.kept import KeptEpochs

from tests.host.epochs.traffic_rows import same, traffic, unobserved
from tests.host.synthetic_epochs import EVER, START, epoch, parameters

COUNTED = (traffic(), unobserved(5, 3, 2.0), None, traffic(reads=(0, 2**32 - 1), seconds=None))


def keep(folder: Path, *, close: bool = True) -> History:
    """Two sessions of a device: the former did not count DRAM commands."""
    history = History(folder, "board")
    history(parameters(1000))
    history(epoch(1000, 0, START))
    history(replace(parameters(2000), banks=2, access_bytes=16))
    for number, each in enumerate(COUNTED):
        history(replace(epoch(2000, number, START + 10 + number), traffic=each))
    if close:
        history.close()
    return history


def test_traffic_of_an_epoch_comes_back_with_it(tmp_path: Path) -> None:
    keep(tmp_path)
    kept = KeptEpochs(tmp_path, "board", None, print)
    found = kept.epochs(*EVER, 100, [], lambda rows: None)
    kept.close()
    assert [(each.session, each.number) for _, each in found] == [(1000, 0), *((2000, n) for n in range(4))]
    assert [of.banks for of, _ in found] == [0, 2, 2, 2, 2]
    for (_, each), counted in zip(found, (None, *COUNTED), strict=True):
        assert each.traffic is None if counted is None else each.traffic and same(each.traffic, counted)


def test_traffic_that_is_not_parquet_yet_is_read(tmp_path: Path) -> None:
    history = keep(tmp_path, close=False)
    (part,) = HistoryReader(tmp_path, "board").parts(TRAFFIC, *EVER)
    assert part.rows.column("epoch").to_pylist() == [0, 0, 1, 3, 3]
    assert part.rows.column("row_hits").to_pylist() == [700, 40, None, 700, 40]
    history.close()


def test_epochs_before_and_after_an_update_of_the_device_are_one_table(tmp_path: Path) -> None:
    keep(tmp_path)
    table, damages = read_history(tmp_path)
    assert (len(set(table.epoch.tolist())), damages) == (5, [])


def test_a_device_of_a_former_history_has_no_banks() -> None:
    """Its files do not know them."""
    schema = TRAFFIC.schema(parameters(1000))
    described = json.loads(schema.metadata[b"litemrc_device"])
    del described["banks"], described["access_bytes"]
    assert parameters_of(schema, {"device": described}) == parameters(1000)
