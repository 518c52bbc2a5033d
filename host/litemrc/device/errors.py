# SPDX-License-Identifier: BSD-2-Clause
"""What can go wrong between the host and a device, as errors that the user can mend."""

from litemrc.errors import UserError

_REMEDIES = {
    "unknown": "update the older of firmware and host package",
    "bad_argument": "choose a value this device has; `litemrc device` shows its parameters",
    "busy": "wait for the running program to end",
    "unsupported": "use a device that supports it; `litemrc device` shows its parameters",
    "read_only": "send settings and runs over the device's serial port; a socket of litemrcd is for reading",
}
_FREE_FIRST = (
    "`litemrc process` shows which process each context tracks; free the context first, or choose another"
)
_STARTED_HERE = (
    "budgets are of programs that the device started (`litemrc collect --run`), and, under a lease, of"
    " cgroups that its administrator listed (`litemrc govern --cgroup`)"
)
_LIST_IT = (
    "have the device's administrator add a line `[govern] = PATH` to litemrcd.conf and start litemrcd again"
)
_REMEDIES_OF = {
    ("follow", "busy"): _FREE_FIRST,
    ("follow", "bad_argument"): "name a process that runs, and a context from 1 on",
    ("get_budget", "busy"): _STARTED_HERE,
    ("set_budget", "busy"): _STARTED_HERE,
    ("reclaim", "busy"): _STARTED_HERE,
    ("set_budget", "bad_argument"): "give less: `litemrc process` shows budgets, `litemrc device` the memory",
    ("follow_cgroup", "bad_argument"): _LIST_IT,
    ("follow_cgroup", "busy"): _FREE_FIRST,
}


class LinkError(UserError):
    """Base of all errors of the serial link; `where` is the port's URL."""


class PortError(LinkError):
    """The port does not exist, is in use, or may not be opened."""


class SilentDeviceError(LinkError):
    """Nothing at the port answers in the protocol of the link."""


class DeviceGoneError(LinkError):
    """The port was lost, or the device restarted, in the middle of a session."""


class PortTakenError(DeviceGoneError):
    """Another host has the port: it was there first, or took it over."""


class VersionMismatchError(LinkError):
    """The device speaks another version of the protocol."""


class WrongDeviceError(LinkError):
    """The device is another one than the files are of that the user named."""


class RequestRefusedError(LinkError):
    """The device answered a request by nak; `code` is the reason by its name in the schema."""

    def __init__(self, what: str, code: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.code = code


class NonsenseError(ValueError):
    """A message that no device can mean; the text names field and value."""


class DeviceFaultError(LinkError):
    """The device sent, unharmed, what cannot be true."""


def refusal_remedy(request: str, code: str) -> str:
    """Return what the user can do about a nak with this code, by its name in the schema."""
    return _REMEDIES_OF.get((request, code), _REMEDIES[code])
