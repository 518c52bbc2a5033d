"""The records of litemrc.golden are values."""

from package_records import ambiguous_records, mutable_records


def test_only_running_state_can_change():
    assert mutable_records("litemrc.golden") == {
        "Bucket",
        "CacheModel",
        "ChipTimeline",
        "ContextBuckets",
        "Counts",
        "Entry",
        "EvictingContext",
        "HotPages",
        "LoopFront",
        "Memory",
        "PowerSettings",
        "Process",
        "Program",
        "Sequence",
        "_Counter",
        "_Rank",
        "_Window",
    }


def test_records_of_arrays_are_equal_to_themselves_only():
    assert ambiguous_records("litemrc.golden") == set()
