# SPDX-License-Identifier: BSD-2-Clause
"""The monitors, ranks and reference counters of any SoC, found in LiteX's csr.json."""

from dataclasses import dataclass
from typing import Any

from litemrc_gateware.ranks.registers import RankRegisters

SUFFIX = "_compatible"
VENDOR = "litex,litemrc-"
MONITOR_KIND = "monitor"
RANKS_KIND = "ranks"
# Of a block that Linux maps, as in LiteX's own device trees.
_BLOCK_BYTES = 0x100
# Constants of the chips of a SoC's ranks, in csr.json behind "config_".
_DRAM = ("dram_part", "dram_chips", "dram_phases")


@dataclass(frozen=True)
class Block:
    """A block of registers with its window.

    Attributes
    ----------
    name
        in csr.json.
    compatible
        kind and version of its register layout, such as "litex,litemrc-monitor-5".
    base, size
        address and bytes of its registers.
    window_base, window_size
        the same of its window.
    interrupt
        LiteX's number; None if the SoC's processor has no interrupts.
    memory_base
        address of the memory that it observes; None if LiteX does not know it.
    constants
        those that begin with its name, without that.
    dram
        of ranks: part, chips of a rank, and DRAM cycles per system cycle, as dram_part and so on.
    """

    name: str
    compatible: str
    base: int
    size: int
    window_base: int
    window_size: int
    interrupt: int | None
    memory_base: int | None
    constants: dict[str, Any]
    dram: dict[str, Any]

    @property
    def kind(self) -> str:
        """Its compatible without vendor and version."""
        return self.compatible.removeprefix(VENDOR).rpartition("-")[0]

    @property
    def domains(self) -> int:
        """Power domains of a block of ranks."""
        field = RankRegisters(1, virtual=False, groups=1, partial=False)._capabilities.fields.domains_log2
        return 1 << (self.constants["built_capabilities"] >> field.offset & (1 << field.size) - 1)


def find_blocks(csr: dict[str, Any]) -> list[Block]:
    """Return all blocks, in the order of csr.json's constants.

    Parameters
    ----------
    csr
        csr.json.

    Raises
    ------
    ValueError
        it has none, or is no csr.json.
    """
    constants = csr.get("constants") if isinstance(csr, dict) else None
    if not isinstance(constants, dict):
        raise ValueError("not a csr.json of LiteX: it has no constants")
    names = [
        name.removesuffix(SUFFIX)
        for name, value in constants.items()
        if name.endswith(SUFFIX) and str(value).startswith(VENDOR)
    ]
    if not names:
        raise ValueError(
            f"no monitor: csr.json has no constant *{SUFFIX}; call add_monitor(soc) and build the SoC again"
        )
    return [block_of(csr, name) for name in names]


def block_of(csr: dict[str, Any], name: str) -> Block:
    """Return the block of a name.

    Raises
    ------
    ValueError
        csr.json does not have all of it.
    """
    constants = csr["constants"]
    try:
        base, window = csr["csr_bases"][name], csr["memories"][f"{name}_window"]
        compatible = constants[f"{name}{SUFFIX}"]
    except KeyError as missing:
        raise ValueError(f"csr.json has no {missing.args[0]}: {name} is not complete") from None
    prefix = f"{name}_"
    dram = {key: constants[f"config_{key}"] for key in _DRAM if f"config_{key}" in constants}
    return Block(
        name=name,
        compatible=compatible,
        base=base,
        size=_room(csr.get("csr_registers", {}), prefix, base),
        window_base=window["base"],
        window_size=window["size"],
        interrupt=constants.get(f"{name}_interrupt"),
        memory_base=constants.get(f"{name}_memory_base"),
        constants={
            key.removeprefix(prefix): each for key, each in constants.items() if key.startswith(prefix)
        },
        dram=dram if compatible.startswith(f"{VENDOR}{RANKS_KIND}-") else {},
    )


def _room(registers: dict[str, Any], prefix: str, base: int) -> int:
    """Return the bytes of a block: a power of two from ``_BLOCK_BYTES`` on that holds all its registers."""
    own = [each for name, each in registers.items() if name.startswith(prefix) and each["addr"] >= base]
    # Registers of a block `mrc_2` have the prefix of `mrc` too: those of a block follow each other.
    end = base
    for each in sorted(own, key=lambda each: each["addr"]):
        if each["addr"] != end:
            break
        end += 4 * each["size"]
    return max(_BLOCK_BYTES, 1 << (end - base - 1).bit_length() if end > base else 0)
