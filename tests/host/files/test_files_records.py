"""The records of litemrc.files are values."""

from package_records import mutable_records


def test_records_cannot_change():
    assert mutable_records("litemrc.files") == set()
