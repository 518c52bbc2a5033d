# SPDX-License-Identifier: BSD-2-Clause
"""The csr.json or csr.csv of a SoC's build: addresses of its registers, its memories and its constants."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from litemrc.errors import UserError


@dataclass(frozen=True)
class SoCMap:
    """Addresses of a SoC.

    Attributes
    ----------
    path
        the file.
    registers
        address and number of 32-bit words of each register, by its name.
    regions
        base and bytes of each memory region, by its name.
    constants
        integers, texts, or None, by name.
    bases
        address of each block of registers or memory among them, by its name.
    """

    path: Path
    registers: dict[str, tuple[int, int]]
    regions: dict[str, tuple[int, int]]
    constants: dict[str, Any]
    bases: dict[str, int] = field(default_factory=dict)

    def region(self, name: str) -> tuple[int, int]:
        """Return base and bytes of a region.

        Raises
        ------
        UserError
            the SoC has none of that name.
        """
        try:
            return self.regions[name]
        except KeyError:
            raise self.error(f"the SoC has no memory region {name}") from None

    def number(self, constant: str) -> int:
        """Return a constant.

        Raises
        ------
        UserError
            the SoC has none of that name, or it is not a number.
        """
        value = self.constants.get(constant)
        if not isinstance(value, int):
            raise self.error(f"the SoC has no constant {constant}")
        return value

    def monitors(self) -> list[str]:
        """Return the names of the SoC's monitors."""
        mark = "_stack_capabilities"
        found = [name.removesuffix(mark) for name in self.registers if name.endswith(mark)]
        return sorted(name for name in found if f"{name}_window" in self.regions)

    def has_block(self, name: str) -> bool:
        """Return whether there are registers of that block."""
        return f"{name}_version" in self.registers or f"{name}_words" in self.registers

    def error(self, what: str) -> UserError:
        """Return the error that this is wrong with the file."""
        remedy = "name the csr.json or csr.csv of the bitstream that runs, of a SoC with a monitor"
        return UserError(what, where=str(self.path), remedy=remedy)


def read_csr_file(path: Path) -> SoCMap:
    """Read a file that LiteX's builder wrote.

    Raises
    ------
    UserError
        it cannot be read, is no such file, or is of a SoC whose registers are not of 32 bits.
    """
    try:
        text = path.read_text(encoding="utf-8")
        soc = _of_csv(path, text) if path.suffix == ".csv" else _of_json(path, text)
    except OSError as error:
        remedy = "name the csr.json or csr.csv of the SoC's build"
        raise UserError(f"cannot read: {error.strerror}", where=str(path), remedy=remedy) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"not a csr.json or csr.csv of LiteX: {type(error).__name__}: {error}"
        raise UserError(what, where=str(path), remedy="name the file of the SoC's build") from error
    width = soc.constants.get("config_csr_data_width")
    if width != 32:
        raise soc.error(f"the registers of the SoC have {width} bits; the monitor needs 32")
    return soc


def _of_json(path: Path, text: str) -> SoCMap:
    content = json.loads(text)
    return SoCMap(
        path,
        {name: (int(r["addr"]), int(r["size"])) for name, r in content["csr_registers"].items()},
        {name: (int(r["base"]), int(r["size"])) for name, r in content["memories"].items()},
        dict(content["constants"]),
        {name: int(base) for name, base in content.get("csr_bases", {}).items()},
    )


def _of_csv(path: Path, text: str) -> SoCMap:
    soc = SoCMap(path, {}, {}, {})
    for kind, name, value, size, _ in csv.reader(
        line for line in text.splitlines() if line and not line.startswith("#")
    ):
        if kind == "csr_register":
            soc.registers[name] = int(value, 0), int(size)
        elif kind == "csr_base":
            soc.bases[name] = int(value, 0)
        elif kind == "memory_region":
            soc.regions[name] = int(value, 0), int(size)
        elif kind == "constant":
            soc.constants[name] = _constant(value)
    return soc


def _constant(value: str) -> int | str | None:
    try:
        return int(value, 0)
    except ValueError:
        return value or None
