# SPDX-License-Identifier: BSD-2-Clause
"""What can go wrong between the host and a device, as errors that the user can mend."""

from litemrc.errors import UserError


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


class DeviceFaultError(LinkError):
    """The device sent, unharmed, what cannot be true."""
