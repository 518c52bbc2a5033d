# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.Device` and `litemrc.collect`: curves from a device at the other end of a serial link."""

from __future__ import annotations  # help() shows the names of types

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from litemrc.curves.curve import Curves
from litemrc.curves.sizes import size_text
from litemrc.device import TIMEOUT_S
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device as LinkedDevice
from litemrc.device.running import Run
from litemrc.epochs.curve_files import curves_of
from litemrc.errors import UserError
from litemrc.texts import printable


class Device:
    """A device that runs LiteMRC's firmware; a context manager that closes the link.

    Parameters
    ----------
    url
        device file or pyserial URL, such as "/dev/ttyUSB1" or "socket://localhost:1234".
    timeout_s
        time a request may take, in seconds; a simulated device may need 60.
    baud
        bit/s of a device file.
    take
        replace another program at a `socket://` port, which is notified.

    Attributes
    ----------
    linked
        the device with all its requests, for what this class does not offer.

    Raises
    ------
    UserError
        the port cannot be opened, no device answers, or it speaks another protocol version.
    """

    def __init__(
        self, url: str, *, timeout_s: float = TIMEOUT_S, baud: int = 115200, take: bool = False
    ) -> None:
        self._open = ExitStack()
        opened = LinkedDevice.open(url, timeout_s=timeout_s, baud=baud, take=take)
        self.linked = self._open.enter_context(opened)

    @property
    def url(self) -> str:
        """The port."""
        return self.linked.url

    @property
    def programs(self) -> tuple[str, ...]:
        """Names of the programs that it can run."""
        return tuple(printable(name) for name in self.linked.hello.workloads)

    @property
    def page_bytes(self) -> int:
        """Bytes of a page."""
        return 1 << int(self.linked.hello.page_shift)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the memory that is monitored."""
        return int(self.linked.hello.frames) * self.page_bytes

    def collect(
        self,
        epochs: int | None = None,
        runs: Sequence[str | Run] = (),
        *,
        together: bool = False,
        epoch_length: int | None = None,
        epoch_unit: str = "accesses",
    ) -> Curves:
        """Turn the monitor on, collect epochs and return the curve of each process or context with data.

        Parameters
        ----------
        epochs
            epochs to collect; None: until the last program has ended.
        runs
            programs to run meanwhile, each "WORKLOAD[:CONTEXT[:SCALE]]", one after the other; the
            collection ends with the last one.
        together
            start all programs at once, on a device with an operating system.
        epoch_length, epoch_unit
            the length of an epoch to set; None: as it is.

        Raises
        ------
        UserError
            no end to the collection, a program that the device does not have, no access counted,
            or the device is gone.
        """
        if epochs is None and not runs:
            raise UserError(
                "the collection has no end", where=self.url, remedy="give epochs, or runs, or both"
            )
        if epochs is not None and epochs < 1:
            raise UserError(f"cannot collect {epochs} epochs", where=self.url, remedy="give at least 1")
        parsed = [Run.parse(run) if isinstance(run, str) else run for run in runs]
        if epoch_length is not None:
            self.linked.request("set_epoch", unit=epoch_unit, length=epoch_length)
        elif not parsed and not self.linked.numbers(self.linked.request("get_epoch"), 2)[1]:
            raise UserError(
                "the device has no epoch length: no epoch would ever end",
                where=self.url,
                remedy="give epoch_length, or a program to run",
            )
        self.linked.start_counting()
        collector = Collector(self.linked)
        for _ in collector.collect(epochs, parsed, together=together):
            pass
        return Curves(curves_of(collector.table(), self.url))

    def close(self) -> None:
        """Close the link."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        memory = f"{size_text(self.memory_bytes, 1)} in pages of {self.page_bytes:,} bytes"
        return f"<Device {self.url}: {memory}, programs: {', '.join(self.programs) or 'none'}>"


def collect(
    url: str,
    epochs: int | None = None,
    runs: Sequence[str | Run] = (),
    *,
    together: bool = False,
    epoch_length: int | None = None,
    epoch_unit: str = "accesses",
    timeout_s: float = TIMEOUT_S,
    baud: int = 115200,
) -> Curves:
    """Collect curves from the device at `url`; the parameters are those of `Device` and `Device.collect`."""
    with Device(url, timeout_s=timeout_s, baud=baud) as device:
        return device.collect(
            epochs, runs, together=together, epoch_length=epoch_length, epoch_unit=epoch_unit
        )
