# SPDX-License-Identifier: BSD-2-Clause
"""The reference counters of a device, their events, and its traffic generator."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from litemrc.device.device import Device
from litemrc.device.link.protocol import Message
from litemrc.device.link.schema import schema
from litemrc.device.message_checks import LARGEST_PAGE_SHIFT

if TYPE_CHECKING:
    from litemrc.traces.generators.traffic import Traffic

_MOST_BITS = 32  # masters and contexts are selected by a bit each of a 32-bit field


@dataclass(frozen=True)
class RefCounterUnit:
    """The reference counters of a device, and losses since reset.

    Attributes
    ----------
    pages
        number of pages of 2^`page_shift` bytes, two counters each.
    width
        bits of a counter.
    masters, contexts
        number of distinguished masters and contexts.
    events_lost
        events dropped as their queue was full.
    accesses_lost
        accesses that were not counted.
    """

    pages: int
    page_shift: int
    width: int
    masters: int
    contexts: int
    events_lost: int
    accesses_lost: int


@dataclass(frozen=True)
class CounterSetting:
    """Setting of one of the counters that every page has.

    Attributes
    ----------
    initial
        value when armed; 0: off.
    reads, writes
        whether these are counted.
    masters, contexts
        those that are counted, one bit each.
    lower, upper
        first and last counted page.
    """

    initial: int
    reads: bool
    writes: bool
    masters: int
    contexts: int
    lower: int
    upper: int


@dataclass(frozen=True)
class PageEvent:
    """A page's counter reached zero; `lost`: events that the hardware has lost so far."""

    counter: str
    page: int
    lost: int

    @classmethod
    def of_message(cls, message: Message) -> "PageEvent":
        """Return the event of a count message."""
        return cls(message.counter, message.page, message.lost)


@dataclass(frozen=True)
class TrafficState:
    """State of the generator: remaining accesses, bytes of a word, words of the memory."""

    left: int
    word_bytes: int
    words: int


def masters() -> tuple[str, ...]:
    """Return the names of the bus masters, by their number."""
    return tuple(schema().enums["master"])


def get_unit(device: Device) -> RefCounterUnit:
    """Return the reference counters of a device.

    Raises
    ------
    LinkError
        as `get_setting`; or the device has none.
    """
    answer = device.request_of("reference counters", "sim-refs", "get_ref_counters")
    unit = RefCounterUnit(*device.numbers(answer, 7))
    if unit.page_shift > LARGEST_PAGE_SHIFT or not 1 <= unit.width <= 32:
        raise device.fault(f"reference counters of {unit.width} bits for pages of 2^{unit.page_shift} bytes")
    if max(unit.masters, unit.contexts) > _MOST_BITS:
        raise device.fault(f"reference counters of {unit.masters} masters and {unit.contexts} contexts")
    return unit


def get_setting(device: Device, counter: str) -> tuple[CounterSetting, bool]:
    """Return the setting of a counter, and whether counting is on.

    Raises
    ------
    LinkError
        the device refuses, sends nonsense, or is gone.
    """
    return _setting(device, device.request("get_counter", counter=counter))


def arm(device: Device, counter: str, setting: CounterSetting) -> CounterSetting:
    """Set what a counter counts; both counters of every page restart from their initial values.

    Raises
    ------
    LinkError
        as `get_setting`; an unsupported setting, or the device's program uses the counters.
    """
    values = asdict(setting)
    accesses = values.pop("reads") + 2 * values.pop("writes")
    return _setting(device, device.request("arm_counter", counter=counter, accesses=accesses, **values))[0]


def get_count(device: Device, counter: str, page: int) -> int:
    """Return the value of a page's counter.

    Raises
    ------
    LinkError
        as `get_setting`; there is no such page.
    """
    return device.numbers(device.request("get_count", counter=counter, page=page), 1)[0]


def set_count(device: Device, counter: str, page: int, value: int) -> None:
    """Set the value of a page's counter; 0 turns it off, other values arm it again.

    Raises
    ------
    LinkError
        as `arm`; there is no such page.
    """
    device.request("set_count", counter=counter, page=page, value=value)


def get_traffic(device: Device) -> TrafficState:
    """Ask for the traffic generator.

    Raises
    ------
    LinkError
        as `get_setting`.
    """
    return _traffic(device, device.request("get_traffic"))


def start_traffic(device: Device, traffic: "Traffic", *, gap: int, count: int) -> TrafficState:
    """Have the generator make `count` accesses of a stream, `gap` cycles apart; writes change no byte.

    Raises
    ------
    LinkError
        as `arm`; the range is not in the memory.
    """
    return _traffic(device, device.request("set_traffic", gap=gap, count=count, **asdict(traffic)))


def _setting(device: Device, answer: Message) -> tuple[CounterSetting, bool]:
    initial, accesses, masters, contexts, lower, upper, on = device.numbers(answer, 7)
    reads, writes = bool(accesses & 1), bool(accesses & 2)
    return CounterSetting(initial, reads, writes, masters, contexts, lower, upper), bool(on)


def _traffic(device: Device, answer: Message) -> TrafficState:
    left, word_shift, words_log2 = device.numbers(answer, 3)
    if word_shift > LARGEST_PAGE_SHIFT or words_log2 >= 32:
        raise device.fault(f"2^{words_log2} words of 2^{word_shift} bytes")
    return TrafficState(left, 1 << word_shift, 1 << words_log2)
