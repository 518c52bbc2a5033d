"""Whether a device counts writes apart from reads, in the upper half of its contexts."""

from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError


def get_split(device: Device) -> bool | None:
    """Return whether writes count apart; None: the device cannot do that.

    Raises:
        LinkError: the device is gone or silent, or sends nonsense.
    """
    try:
        answer = device.request("get_split")
    except RequestRefusedError as refused:
        if refused.code != "unsupported":
            raise
        return None
    return bool(device.numbers(answer, 1)[0])


def owning_contexts(device: Device) -> int:
    """Return the number of contexts that own pages: half of all, while writes count apart.

    Raises:
        LinkError: as `get_split`.
    """
    contexts: int = device.hello.contexts
    return contexts // 2 if get_split(device) else contexts
