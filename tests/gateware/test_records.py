# SPDX-License-Identifier: BSD-2-Clause
"""Widths of the records, and the check of a stack engine's sizes."""

import pytest
from litemrc_gateware.records import op_layout, position_layout
from litemrc_gateware.stacks.group.group_stack import GroupStack


def test_fields_hold_the_largest_number_and_have_at_least_one_bit() -> None:
    assert op_layout(8192, 8) == [("kind", 2), ("frame", 13), ("context", 3), ("write", 1), ("epoch_end", 1)]
    assert position_layout(64, 1) == [("kind", 2), ("group", 6), ("context", 1), ("epoch_end", 1)]


@pytest.mark.parametrize(
    ("frames", "groups", "contexts"),
    [(100, 4, 1), (64, 3, 1), (64, 4, 3), (64, 1, 1), (64, 128, 1), (8, 4, 16), (0, 4, 1)],
)
def test_impossible_sizes_are_refused(frames: int, groups: int, contexts: int) -> None:
    with pytest.raises(ValueError, match=f"{frames} frames, {groups} groups, {contexts} contexts; they must"):
        GroupStack(frames, groups, contexts)
