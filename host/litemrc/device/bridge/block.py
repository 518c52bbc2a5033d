# SPDX-License-Identifier: BSD-2-Clause
"""A block of registers of the gateware, with its fields and its window."""

import time
from collections.abc import Callable

from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import RefusedError, RegisterBus, layout
from litemrc.device.errors import VersionMismatchError

_POLL_S = 0.001
_WRITES = 3
_REASON_BYTES = 80  # of a nak


class RegisterBlock:
    """Registers of one block of the SoC, read and written by name.

    Parameters
    ----------
    kind
        of the block, in the exported layout: mrc, ranks, refs, traffic.
    name
        of the block in the SoC.
    timeout_s
        limit of `wait`.

    Raises
    ------
    UserError
        the SoC lacks one of the registers.
    """

    def __init__(self, client: RegisterBus, soc: SoCMap, kind: str, name: str, timeout_s: float) -> None:
        self.name = name
        self._client, self._soc, self._kind, self._timeout_s = client, soc, kind, timeout_s
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

    def check_version(self, url: str) -> int:
        """Return the version of the block's layout, which is this host's.

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
        return found

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

    def word(self, register: str, **fields: int) -> int:
        """Return the word of a register with these fields, the others 0.

        Raises
        ------
        RefusedError
            a value does not fit into its field.
        """
        word = 0
        for name, value in fields.items():
            shift, bits = self._fields[register][name]
            if value >> bits:
                raise RefusedError("bad_argument", f"{name} must be below {1 << bits}")
            word |= value << shift
        return word

    def write(self, register: str, word: int) -> None:
        """Write a register of one word, and read it back: Etherbone's packets of writes can be lost.

        Raises
        ------
        RefusedError
            the register reads another value, after several writes.
        """
        for _ in range(_WRITES):
            if (found := self.try_write(register, word)) == word:
                return
        why = f"{self.name}_{register} reads {found} after {word}: other software writes it"
        raise RefusedError("busy", why[:_REASON_BYTES])

    def try_write(self, register: str, word: int) -> int:
        """Write a register of one word once, and return what it reads then."""
        address, _ = self._places[register]
        self._client.write(address, word)
        # Also keeps Etherbone's packets apart, whose rate nothing else limits.
        return self._client.read(address, 1)[0]

    def update(self, register: str, **fields: int) -> None:
        """Write these fields of a register; the others keep their value."""
        word = self.read(register)
        for name in fields:
            shift, bits = self._fields[register][name]
            word &= ~((1 << bits) - 1 << shift)
        self.write(register, word | self.word(register, **fields))

    def command(self, name: str, register: str = "command") -> None:
        """Write 1 to a field of a register of commands, which reads 0."""
        self.try_write(register, self.word(register, **{name: 1}))

    def window(self, first: int, words: int) -> list[int]:
        """Return words of the block's window."""
        return self._client.read(self._window_word(first, words), words)

    def write_window(self, place: int, word: int) -> None:
        """Write a word of the block's window."""
        address = self._window_word(place, 1)
        self._client.write(address, word)
        self._client.read(address, 1)

    def _window_word(self, first: int, words: int) -> int:
        base, size = self._soc.region(f"{self.name}_window")
        if 4 * (first + words) > size:
            raise self._soc.error(
                f"{self.name}_window has {size} bytes, and word {first + words - 1} is beyond"
            )
        return base + 4 * first

    def wait(self, done: Callable[[dict[str, int]], bool], what: str) -> dict[str, int]:
        """Wait until the status is as wanted, and return it.

        Raises
        ------
        RefusedError
            not within the timeout.
        """
        deadline = time.monotonic() + self._timeout_s
        while not done(status := self.fields("status")):
            if time.monotonic() > deadline:
                raise RefusedError("busy", f"{what} after {self._timeout_s:g} s")
            time.sleep(_POLL_S)
        return status
