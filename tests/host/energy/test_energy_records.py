"""What holds for all records of the room."""

from package_records import mutable_records


def test_records_cannot_be_changed():
    assert not mutable_records("litemrc.energy")
