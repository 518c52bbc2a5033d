"""The records of litemrc.ranks are values."""

import pytest
from litemrc.ranks.table import RankTable
from package_records import ambiguous_records, mutable_records


def test_records_cannot_change():
    assert mutable_records("litemrc.ranks") == set()


def test_records_of_arrays_are_equal_to_themselves_only():
    assert ambiguous_records("litemrc.ranks") == set()


def test_counters_of_a_table_are_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        RankTable(1_000_000, 4)
