"""What the bridge needs of whatever reaches the registers."""

from typing import Protocol


class RegisterBus(Protocol):
    """Reads and writes words of 32 bits.

    Raises, from every method:
        DeviceGoneError: the other end is gone, or does not answer.
    """

    def read(self, address: int, words: int) -> list[int]:
        """Return consecutive words."""
        ...

    def write(self, address: int, *words: int) -> None:
        """Write consecutive words."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
