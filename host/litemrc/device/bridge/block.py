# SPDX-License-Identifier: BSD-2-Clause
"""A block of registers of the gateware, with its fields and its window."""

from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import RegisterBus, layout
from litemrc.device.errors import VersionMismatchError


class RegisterBlock:
    """Registers of one block of the SoC, read and written by name.

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
        self._fields = layout().fields[kind]
        self._places: dict[str, tuple[int, int]] = {}
        for register in self._fields:
            if register.startswith("ev_"):
                continue  # of the interrupt, which a SoC without a processor may lack
            place = soc.registers.get(f"{name}_{register}")
            if place is None and register.startswith("hot_"):
                continue  # of hot pages, which not every monitor has
            if place is None:
                raise soc.error(f"the SoC has no register {name}_{register}")
            self._places[register] = place
        names = {offset: register for register, (offset, _) in layout().places[kind].items()}
        # By the offset in litemrc_regs.h, which is not that in a SoC that lacks registers before.
        self._addresses = {
            offset: self._places[register][0]
            for offset, register in names.items()
            if register in self._places
        }

    def check_version(self, url: str) -> None:
        """Check that the version of the block's layout is this host's.

        Raises
        ------
        VersionMismatchError
            it is another one.
        """
        found, known = self.read("version"), layout().versions[self._kind]
        if found != known:
            raise VersionMismatchError(
                f"{self.name}_version reads {found}, this host knows version {known} of these registers",
                where=url,
                remedy="name the csr file of the bitstream that runs, or update the older of the two",
            )

    def address(self, offset: int) -> int:
        """Return the address of a register by its offset in litemrc_regs.h."""
        return self._addresses[offset]

    def read(self, register: str) -> int:
        """Return a register; the first word of a long one is its upper one."""
        value = 0
        for word in self._client.read(*self._places[register]):
            value = value << 32 | word
        return value

    def read_run(self, first: str, last: str) -> dict[str, int]:
        """Return the registers from one to another, of a word each; read in ascending order."""
        names = list(self._places)
        names = names[names.index(first) : names.index(last) + 1]
        start = self._places[first][0]
        if [self._places[name] for name in names] != [(start + 4 * n, 1) for n in range(len(names))]:
            return {name: self.read(name) for name in names}
        return dict(zip(names, self._client.read(start, len(names)), strict=True))

    def fields(self, register: str) -> dict[str, int]:
        """Return the fields of a register."""
        return self.fields_of(register, self.read(register))

    def fields_of(self, register: str, word: int) -> dict[str, int]:
        """Return the fields of a register that reads `word`."""
        return {
            name: word >> shift & (1 << bits) - 1 for name, (shift, bits) in self._fields[register].items()
        }

    def write(self, register: str, word: int) -> None:
        """Write a register of one word once."""
        address, _ = self._places[register]
        self._client.write(address, word)
        self._client.read(address, 1)  # keeps Etherbone's packets apart, whose rate nothing else limits

    def command(self, name: str, register: str = "command") -> None:
        """Write 1 to a field of a register of commands, which reads 0."""
        shift, _ = self._fields[register][name]
        self.write(register, 1 << shift)

    def window(self, first: int, words: int) -> list[int]:
        """Return words of the block's window."""
        return self._client.read(self.window_address(first, words), words)

    def window_address(self, first: int, words: int = 1) -> int:
        """Return the address of words of the block's window."""
        base, size = self._soc.region(f"{self.name}_window")
        if 4 * (first + words) > size:
            raise self._soc.error(
                f"{self.name}_window has {size} bytes, and word {first + words - 1} is beyond"
            )
        return base + 4 * first
