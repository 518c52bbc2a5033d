# SPDX-License-Identifier: BSD-2-Clause
"""A block of registers of the gateware, and its window."""

from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import RegisterBus, layout
from litemrc.device.errors import VersionMismatchError


class RegisterBlock:
    """The addresses of one block of the SoC.

    Parameters
    ----------
    kind
        of the block, in the exported layout: mrc, ranks, refs, traffic.
    name
        of the block in the SoC.

    Raises
    ------
    UserError
        the SoC lacks one of the registers.
    """

    def __init__(self, client: RegisterBus, soc: SoCMap, kind: str, name: str) -> None:
        self.name = name
        self._client, self._soc, self._kind = client, soc, kind
        self._addresses: dict[int, int] = {}  # by the offset in litemrc_regs.h
        for register, (offset, words) in layout().places[kind].items():
            if register.startswith("ev_"):
                continue  # of the interrupt, which a SoC without a processor may lack
            place = soc.registers.get(f"{name}_{register}")
            if place is not None:
                self._addresses |= {offset + 4 * n: place[0] + 4 * n for n in range(words)}
            elif not register.startswith("hot_"):  # of hot pages, which not every monitor has
                raise soc.error(f"the SoC has no register {name}_{register}")

    def check_version(self, url: str) -> None:
        """Check that the version of the block's layout is this host's.

        Raises
        ------
        VersionMismatchError
            it is another one.
        """
        offset, _ = layout().places[self._kind]["version"]
        (found,) = self._client.read(self.address(offset), 1)
        known = layout().versions[self._kind]
        if found != known:
            raise VersionMismatchError(
                f"{self.name}_version reads {found}, this host knows version {known} of these registers",
                where=url,
                remedy="name the csr file of the bitstream that runs, or update the older of the two",
            )

    def address(self, offset: int) -> int:
        """Return the address of a register by its offset in litemrc_regs.h."""
        return self._addresses[offset]

    def window_address(self, offset: int) -> int:
        """Return the address of a word of the block's window."""
        base, size = self._soc.region(f"{self.name}_window")
        if offset >= size:
            raise self._soc.error(f"{self.name}_window has {size} bytes, and word {offset // 4} is beyond")
        return base + offset
