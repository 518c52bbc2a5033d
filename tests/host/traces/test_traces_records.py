"""The records of litemrc.traces are values."""

from package_records import ambiguous_records, mutable_records


def test_only_running_state_can_change():
    assert mutable_records("litemrc.traces") == {
        "CompileTree",
        "FootprintTrace",
        "KmemTrace",
        "Progress",
        "_Block",
        "_Job",
        "_Process",
    }


def test_records_of_arrays_are_equal_to_themselves_only():
    assert ambiguous_records("litemrc.traces") == set()
