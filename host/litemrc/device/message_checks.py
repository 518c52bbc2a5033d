# SPDX-License-Identifier: BSD-2-Clause
"""What a device may say: hello within the limits of any device, and later messages within its hello.

The headers bound each field by its size only. These checks bound fields by one another, so that what is
computed from them later (seconds, bytes, arrays of frames or groups) exists and fits into memory and into
64-bit columns.
"""

from collections.abc import Callable

from litemrc.device.errors import NonsenseError
from litemrc.device.link.protocol import Message

LARGEST_PAGE_SHIFT = 30  # 1 GiB, the largest page of any processor with pages; 2^32 of them fit into 62 bits
MOST_BITMAP_FRAMES = 1 << 24  # 64 GiB in pages of 4 KiB: the bits of an epoch have 4 MiB
_MOST = {"groups": 256, "contexts": 256, "recent_pages": 255, "ranks": 255}
_CHANGING = frozenset(("request", "running", "epoch"))


def check_hello(hello: Message) -> None:
    """Check the parameters of a device as a whole.

    Raises
    ------
    NonsenseError
        they contradict each other, or no device has them.
    """
    frames, pages, groups = hello.frames, hello.pages, hello.groups
    if hello.clock_hz == 0:
        raise NonsenseError("clock_hz of its hello must be at least 1 (got 0)")
    if hello.page_shift > LARGEST_PAGE_SHIFT:
        raise NonsenseError(
            f"page_shift of its hello must be at most {LARGEST_PAGE_SHIFT} (got {hello.page_shift})"
        )
    for name, most in _MOST.items():
        least = 1 if name in ("groups", "contexts") else 0
        if not least <= getattr(hello, name) <= most:
            raise NonsenseError(f"{name} of its hello must be {least} to {most} (got {getattr(hello, name)})")
    if pages % groups or not groups <= pages <= frames:
        raise NonsenseError(
            f"its hello has {frames} frames, {pages} pages in {groups} groups; pages must be a multiple of"
            " groups and at most frames"
        )
    if hello.page_bitmap and (frames > MOST_BITMAP_FRAMES or frames % 8):
        raise NonsenseError(
            f"frames of its hello must be a multiple of 8 up to {MOST_BITMAP_FRAMES}, as it has page_bitmap"
            f" (got {frames})"
        )
    if hello.rank_power and not hello.ranks:
        raise NonsenseError("ranks of its hello must be at least 1, as it has rank_power (got 0)")
    if hello.running >> len(hello.workloads):
        raise NonsenseError(
            f"running of its hello is {hello.running:#x}, and it has {len(hello.workloads)} programs"
        )
    if len(set(hello.workloads)) < len(hello.workloads):
        raise NonsenseError(f"workloads of its hello has a name twice: {', '.join(hello.workloads)}")


def changed_parameters(before: Message, now: Message) -> str:
    """Return the first parameter in which two hellos of one session differ, with both values; or nothing."""
    for field in before.body:
        old, new = getattr(before, field.name), getattr(now, field.name)
        if field.name not in _CHANGING and old != new:
            return f"{field.name} was {old!r} and is {new!r}"
    return ""


def check_message(message: Message, hello: Message) -> None:
    """Check a message of a device by its hello.

    Raises
    ------
    NonsenseError
        it is of a context, frame, rank or program that the device does not have.
    """
    check = _CHECKS.get(message.name)
    if check:
        check(message, hello)


def _check_record(message: Message, hello: Message) -> None:
    from litemrc.device.record_checks import check_record  # numpy takes long to load

    check_record(message.record, hello)


def _check_event(message: Message, hello: Message) -> None:
    if message.workload >= len(hello.workloads):
        raise NonsenseError(f"program {message.workload} of {len(hello.workloads)}")
    if message.context >= hello.contexts:
        raise NonsenseError(f"a program in context {message.context} of {hello.contexts}")


def _check_queued(message: Message, hello: Message) -> None:
    if max(message.frames, default=0) >= hello.frames:
        raise NonsenseError(f"queued frame {max(message.frames)} of {hello.frames}")


_CHECKS: dict[str, Callable[[Message, Message], None]] = {
    "epoch": _check_record,
    "event": _check_event,
    "queued": _check_queued,
}
