# SPDX-License-Identifier: BSD-2-Clause
"""The records between the gateware's units: accesses, operations, positions, moves of pages."""

from enum import IntEnum

from migen import log2_int

MAX_DOMAINS = 16  # power domains of the ranks


class OpKind(IntEnum):
    """An operation of a stack engine. With `epoch_end`, the epoch ends after it."""

    ACCESS = 0  # one DRAM access to `frame`, seen while `context` was running
    # Remove the page from its owner's stack, and its claim. With `write` a claim: `context` will own it.
    INVALIDATE = 1
    CLEAR = 2  # every page becomes invalid, the running epoch starts again from zero
    MARK = 3  # no operation; carries `epoch_end`


class PositionKind(IntEnum):
    """The answer of a stack engine: exactly one position for every operation, in order."""

    HIT = 0  # the page's LRU stack distance was in `group`
    MISS = 1  # the page was invalid: infinite LRU stack distance
    NONE = 2  # nothing to count: invalidate, claim, mark
    CLEAR = 3  # the running epoch starts again from zero


def width_of(count: int) -> int:
    """Bits that hold 0..count-1, at least 1.

    Raises
    ------
    ValueError
        if `count` is not a power of two.
    """
    return max(1, log2_int(count))


def check_sizes(frames: int, groups: int, contexts: int) -> None:
    """Check the sizes of a stack engine.

    Raises
    ------
    ValueError
        if one is not a power of two, there are fewer than 2 groups, or more groups or
        contexts than frames.
    """
    powers = all(n > 0 and n & (n - 1) == 0 for n in (frames, groups, contexts))
    if not powers or groups < 2 or groups > frames or contexts > frames:
        raise ValueError(
            f"stack engine: {frames} frames, {groups} groups, {contexts} contexts; they must be powers of "
            "two with 2 <= groups <= frames and 1 <= contexts <= frames"
        )


def access_layout(frames: int) -> list[tuple[str, int]]:
    """Payload of the stream out of the tap: one DRAM access a record. The tap ignores `ready`."""
    return [("frame", width_of(frames)), ("write", 1)]


def op_layout(frames: int, contexts: int) -> list[tuple[str, int]]:
    """Payload of the stream into a stack engine: one operation a record."""
    return [
        ("kind", 2),  # OpKind
        ("frame", width_of(frames)),
        ("context", width_of(contexts)),  # the running context, or of a claim the owner; below `contexts`
        ("write", 1),  # of an access: stack engines ignore it; of an invalidation: it is a claim
        ("epoch_end", 1),
    ]


def position_layout(groups: int, contexts: int) -> list[tuple[str, int]]:
    """Payload of the stream out of a stack engine: one answer a record."""
    return [
        ("kind", 2),  # PositionKind
        ("group", width_of(groups)),  # 0 = most recently used; 0 unless a hit
        ("context", width_of(contexts)),  # the page's owner; 0 unless a hit or a miss
        ("epoch_end", 1),
    ]


def memory_op_layout(frames: int, contexts: int) -> list[tuple[str, int]]:
    """Payload of the queue into the page filter: operations on frames of the memory."""
    return [
        *op_layout(frames, contexts),
        ("frozen", 1),  # an access that moves its page in the stack and is not counted
    ]


def counted_layout(groups: int, contexts: int) -> list[tuple[str, int]]:
    """Payload of the stream into the hit counters."""
    return [
        *position_layout(groups, contexts),
        ("first_touch", 1),  # the page's first access in the epoch; 0 unless a hit or a miss
    ]


def move_layout(pages: int, groups: int, contexts: int) -> list[tuple[str, int]]:
    """Payload of the stream out of a stack engine: a page changed its page group."""
    return [
        ("page", width_of(pages)),
        ("context", width_of(contexts)),  # the page's owner
        ("was_valid", 1),  # 0: it was in no stack, and `from_group` is 0
        ("from_group", width_of(groups)),
        ("is_valid", 1),  # 0: it is in no stack any more, and `to_group` is 0
        ("to_group", width_of(groups)),
    ]
