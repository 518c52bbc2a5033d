"""A device's rank counters against a record: every wrong one is found and named."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.checks.rank_record import RECORDED, Command, compare_with_record, snapshots_of
from litemrc.energy.parts.files import find_part
from litemrc.energy.rank_energy import rank_energy
from litemrc.ranks.table import RankRow, RankTable

from tests.host.checks.test_rank_record import recorded
from tests.host.rank_rows import PARAMETERS
from tests.host.rank_traces import random_trace

PART = find_part("MT41K256M16-125:E")


@pytest.fixture
def snapshots():
    """Two ranks of random commands in three snapshots and what follows them."""
    traces = [random_trace(seed, PART) for seed in (3, 14)]
    end = max(end for _, end in traces)
    rows = [recorded(trace, rank) for rank, (trace, _) in enumerate(traces)]
    marks = recorded([(end * part // 4, "PUP", 0) for part in (1, 2, 3)])
    marks["command"] = Command.SNAPSHOT
    record = np.concatenate([marks, *rows])
    return snapshots_of(record[np.argsort(record["clock"], kind="stable")], 2, end=end)


@pytest.fixture
def table(snapshots) -> RankTable:
    """What a device that counts rightly sends of the second to the last of them."""
    return RankTable.from_rows(
        [
            RankRow(epoch, domain, snapshot.clocks, counters, state=0, working=True)
            for epoch, snapshot in enumerate(snapshots)
            if epoch
            for domain, counters in enumerate(snapshot.counters)
        ],
        **PARAMETERS,
    )


def test_a_device_that_counts_rightly_is_found_equal(table, snapshots):
    found = compare_with_record(table, snapshots)
    assert found.equal
    assert (found.counters, found.first_difference) == (3 * 2 * (1 + len(RECORDED)), "")
    assert rank_energy(found.recorded, PART).total == rank_energy(table, PART).total


@pytest.mark.parametrize("name", RECORDED)
def test_any_wrong_counter_is_found(table, snapshots, name):
    column = getattr(table, name).copy()
    column[3] += 1
    wrong = replace(table, overflow=np.ones(6, bool), **{name: column})
    found = compare_with_record(wrong, snapshots)
    assert not found.equal
    assert found.differences == 1
    was = column[3] - 1
    assert found.first_difference == f"epoch 2, domain 1, {name}: {was + 1:,} instead of {was:,}"
    assert getattr(found.recorded, name)[3] == was


def test_a_table_longer_than_the_record_is_refused(table, snapshots):
    with pytest.raises(ValueError, match="the record has 3 snapshots, but the device sent epoch 3"):
        compare_with_record(table, snapshots[:3])


def test_nothing_compared_is_not_equal(snapshots):
    assert not compare_with_record(RankTable.from_rows([], **PARAMETERS), snapshots).equal
