"""The records of litemrc.pages are values."""

from package_records import ambiguous_records, mutable_records


def test_no_record_can_change():
    assert mutable_records("litemrc.pages") == set()


def test_records_of_arrays_are_equal_to_themselves_only():
    assert ambiguous_records("litemrc.pages") == set()
