# SPDX-License-Identifier: BSD-2-Clause
"""The dataclasses of both distributions are values: only running state can change, and == has one answer."""

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from litemrc.epochs.table import EpochTable
from litemrc.ranks.table import RankTable

# Running state: of commands, engines and models at work.
MUTABLE = {
    "litemrc.api": "",
    "litemrc.checks": "",
    "litemrc.cli": "Measured Totals",
    "litemrc.cluster": "_Node",
    "litemrc.curves": "",
    "litemrc.device": "LinkCounts",
    "litemrc.energy": "",
    "litemrc.epochs": "_Followed",
    "litemrc.feed": "HistoryIndex",
    "litemrc.files": "",
    "litemrc.golden": "BankCounts Bucket CacheModel ContextBuckets Entry EvictingContext HotPages LoopFront"
    " Memory PowerSettings TrafficEpoch _Rank _Row",
    "litemrc.pages": "",
    "litemrc.policies": "SenpaiRule",
    "litemrc.ranks": "",
    "litemrc.traces": "Progress",
    "litemrc_studies.glass1997": "Program Sequence",
    "litemrc_studies.jantz2013": "Space",
    "litemrc_studies.panwar2015": "CompileTree FootprintTrace KmemTrace _Block _Job _Process",
    "litemrc_studies.reference_counters": "Counts SelfTuned _Counter _Node _Page _Window",
    "litemrc_studies.sweeps": "",
    "litemrc_studies.zhou2004": "ChipTimeline Entry Process _Line",
}


def records(package: str) -> Iterator[type]:
    found = importlib.import_module(package)
    for module in pkgutil.walk_packages(found.__path__, f"{package}."):
        for each in vars(importlib.import_module(module.name)).values():
            if isinstance(each, type) and dataclasses.is_dataclass(each) and each.__module__ == module.name:
                yield each


@pytest.mark.parametrize("package", MUTABLE)
def test_only_running_state_can_change(package):
    mutable = {record.__name__ for record in records(package) if not record.__dataclass_params__.frozen}
    assert mutable == set(MUTABLE[package].split())


@pytest.mark.parametrize("package", MUTABLE)
def test_records_of_arrays_are_equal_to_themselves_only(package):
    compared = [record for record in records(package) if record.__dataclass_params__.eq]
    frozen = [record for record in compared if record.__dataclass_params__.frozen]
    assert not [each for each in frozen if any("ndarray" in str(f.type) for f in dataclasses.fields(each))]


@pytest.mark.parametrize(("table", "counts"), [(EpochTable, (4096, 64)), (RankTable, (1_000_000, 4))])
def test_counters_of_a_table_are_given_by_name(table, counts):
    with pytest.raises(TypeError, match="positional"):
        table(*counts)
