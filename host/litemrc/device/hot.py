# SPDX-License-Identifier: BSD-2-Clause
"""The settings of a device's hot pages, and which messages of single pages follow each epoch."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from litemrc.device.errors import LinkError
from litemrc.device.link.protocol import Message

if TYPE_CHECKING:
    from litemrc.device.device import Device

OF_PAGES, OF_ROWS = 1, 2  # HotSettings.enable
_PART, _TARGET = "hot pages", "sim"
_MOST_ADDRESSES = 1 << 63  # files have addresses in 64 bits with a sign


@dataclass(frozen=True)
class HotSettings:
    """What is counted, and which pages are hot.

    Attributes
    ----------
    enable
        0; 1: pages are counted and listed; 2: rows of the DRAM, by their ACTIVATEs: frames, of the list, too,
        are then addresses in units of the row's bytes (`hello.row_bytes`).
    reads, writes
        whether they are counted; of rows, every ACTIVATE is.
    always_on
        pages are also reported as soon as they are hot.
    sampling_log2
        1 access of 2^n is counted, at random.
    threshold
        accesses that make a page hot.
    wanted
        pages on the list of an epoch at most.
    lower, upper
        first and last frame that is counted.
    watermark
        pages that a report of `always_on` waits for.
    """

    enable: int
    reads: bool
    writes: bool
    always_on: bool
    sampling_log2: int
    threshold: int
    wanted: int
    lower: int
    upper: int
    watermark: int


def counting_pages(settings: HotSettings, frames: int) -> HotSettings:
    """Return the settings with pages counted, of a memory with n frames, where rows or nothing were."""
    if settings.enable == OF_ROWS:
        settings = replace(settings, lower=0, upper=frames - 1)
    return replace(settings, enable=OF_PAGES)


def get_hot(device: "Device") -> HotSettings:
    """Return the settings in force.

    Raises
    ------
    LinkError
        the device has no hot pages, is gone or silent, or sends nonsense.
    """
    return _settings(device, device.request_of(_PART, _TARGET, "get_hot"))


def set_hot(device: "Device", settings: HotSettings) -> HotSettings:
    """Change the settings. All pages become invalid, and the running epoch restarts.

    Raises
    ------
    LinkError
        as `get_hot`; the device has no such setting.
    """
    return _settings(
        device,
        device.request_of(_PART, _TARGET, "set_hot", **asdict(settings) | {"enable": int(settings.enable)}),
    )


def _settings(device: "Device", answer: Message) -> HotSettings:
    values = device.numbers(answer, len(HotSettings.__annotations__))
    kinds = HotSettings.__annotations__.items()
    return HotSettings(**{name: kind(value) for (name, kind), value in zip(kinds, values, strict=True)})


@dataclass(frozen=True)
class PageMessages:
    """Messages that follow each epoch.

    Attributes
    ----------
    accessed
        the frames accessed and written; hot: the hot pages.
    base_address
        byte address of frame 0.
    """

    accessed: bool
    hot: bool
    base_address: int


def get_page_messages(device: "Device") -> PageMessages:
    """Return what the device sends.

    Raises
    ------
    LinkError
        the device is gone or silent, or sends nonsense.
    """
    return _selected(device, device.request("get_page_messages"))


@contextmanager
def page_messages(device: "Device", *, accessed: bool = False, hot: bool = False) -> Iterator[PageMessages]:
    """Have these messages sent, with those that are sent already; what was sent before is again at the end.

    Raises
    ------
    LinkError
        as `get_page_messages`; the device has no page bitmap, or no hot pages.
    """
    before = get_page_messages(device)
    if (accessed or before.accessed, hot or before.hot) == (before.accessed, before.hot):
        yield before
        return
    part = " or no ".join(name for name, on in (("page bitmap", accessed), ("hot pages", hot)) if on)
    answer = device.request_of(
        part, "sim", "set_page_messages", accessed=accessed or before.accessed, hot=hot or before.hot
    )
    try:
        yield _selected(device, answer)
    finally:
        with suppress(LinkError):  # the device may be gone
            device.request("set_page_messages", accessed=before.accessed, hot=before.hot)


def _selected(device: "Device", answer: Message) -> PageMessages:
    accessed, hot, low, high = device.numbers(answer, 4)
    first, hello = high << 32 | low, device.hello
    if (first + hello.frames) << hello.page_shift > _MOST_ADDRESSES:
        raise device.fault(f"frame 0 is page {first:#x} of the address space")
    return PageMessages(bool(accessed), bool(hot), first << hello.page_shift)
