"""What holds for all records of the room."""

from package_records import ambiguous_records, mutable_records


def test_records_cannot_be_changed_but_the_growing_space_of_a_process():
    assert mutable_records("litemrc.machines") == {"Space"}


def test_records_with_arrays_are_not_compared():
    assert not ambiguous_records("litemrc.machines")
