"""Errors of a bridge."""

from litemrc.device.errors import DeviceGoneError


class BridgeDownError(DeviceGoneError):
    """The server cannot be reached, or does not answer: one line, as neither URL nor options are at fault."""

    exit_code = 1

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url}: {why}")


class RefusedError(Exception):
    """A request that is answered by nak.

    Parameters:
        code: an error_code of the schema.
        reason: text for the user.
    """

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason
