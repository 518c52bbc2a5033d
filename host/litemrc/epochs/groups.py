"""Page groups of the memory, and of the tail behind it."""

_MOST_TAIL_GROUPS = 256  # as on the link


def groups_of_memory(frames: int, pages: int, groups: int, scale_log2: int) -> int:
    """Groups that the pages of a memory that take part can fill: `groups`, or fewer the fewer are sampled."""
    return min(max(-(-(frames >> scale_log2) * groups // pages), 1), groups)


def open_group(groups: int) -> int:
    """Return the last group of the tail of a monitor with so many groups: it also counts all deeper refaults.

    A tail has twice the groups of the monitor: it reaches as far beyond the memory as the memory is large.
    Source: litemrc_tail_groups() of the driver.
    """
    return min(2 * groups, _MOST_TAIL_GROUPS) - 1
