"""The settings of a device's hot pages."""

from dataclasses import asdict, dataclass

from litemrc.device.device import Device
from litemrc.device.link.protocol import Message

_PART, _TARGET = "hot pages", "sim"


@dataclass(frozen=True)
class HotSettings:
    """What is counted, and which pages are hot.

    Attributes:
        enable: hot pages are counted and listed.
        reads, writes: whether they are counted.
        always_on: pages are also reported as soon as they are hot.
        sampling_log2: 1 access of 2^n is counted, at random.
        threshold: accesses that make a page hot.
        wanted: pages on the list of an epoch at most.
        lower, upper: first and last frame that is counted.
        watermark: pages that a report of `always_on` waits for.
    """

    enable: bool
    reads: bool
    writes: bool
    always_on: bool
    sampling_log2: int
    threshold: int
    wanted: int
    lower: int
    upper: int
    watermark: int


def get_hot(device: Device) -> HotSettings:
    """Return the settings in force.

    Raises:
        LinkError: the device has no hot pages, is gone or silent, or sends nonsense.
    """
    return _settings(device, device.request_of(_PART, _TARGET, "get_hot"))


def set_hot(device: Device, settings: HotSettings) -> HotSettings:
    """Change the settings. All pages become invalid, and the running epoch restarts.

    Raises:
        LinkError: as `get_hot`; the device has no such setting.
    """
    return _settings(device, device.request_of(_PART, _TARGET, "set_hot", **asdict(settings)))


def _settings(device: Device, answer: Message) -> HotSettings:
    values = device.numbers(answer, len(HotSettings.__annotations__))
    kinds = HotSettings.__annotations__.items()
    return HotSettings(**{name: kind(value) for (name, kind), value in zip(kinds, values, strict=True)})
