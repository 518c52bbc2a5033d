"""The records of litemrc.epochs are values."""

import pytest
from litemrc.epochs.table import EpochTable
from package_records import ambiguous_records, mutable_records


def test_only_running_state_can_change():
    assert mutable_records("litemrc.epochs") == {"_Followed"}


def test_records_of_arrays_are_equal_to_themselves_only():
    assert ambiguous_records("litemrc.epochs") == set()


def test_counters_of_a_table_are_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        EpochTable(4096, 64)
