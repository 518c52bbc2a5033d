"""The records of litemrc.checks are values."""

from package_records import ambiguous_records, mutable_records


def test_records_cannot_change():
    assert mutable_records("litemrc.checks") == set()


def test_records_of_arrays_are_equal_to_themselves_only():
    assert ambiguous_records("litemrc.checks") == set()
