# SPDX-License-Identifier: BSD-2-Clause
"""The register map: every register of the gateware, read from the elaborated modules."""

from dataclasses import dataclass

from litedram.common import GeomSettings, LiteDRAMNativePort
from litedram.phy import dfi
from litex.build.sim import SimPlatform
from litex.soc.integration.soc_core import SoCMini

from litemrc_gateware.monitor.monitor import Monitor
from litemrc_gateware.ranks.registers import RankRegisters
from litemrc_gateware.records import MAX_DOMAINS
from litemrc_gateware.refs.registers import RefCounterRegisters
from litemrc_gateware.refs.traffic_generator import TrafficGenerator
from litemrc_gateware.tap.dram_tap import DRAMTap

BLOCKS = ("mrc", "ranks", "refs", "traffic")


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    size: int
    description: str


@dataclass(frozen=True)
class Register:
    name: str
    offset: int  # bytes from the base of the block
    size: int  # bits
    access: str
    reset: int
    description: str
    fields: tuple[Field, ...]


class _RegistersOnly(SoCMini):
    """The smallest SoC with registers."""

    def __init__(self, add):
        super().__init__(SimPlatform("SIM", []), clk_freq=1_000_000)
        add(self)


def _every_block(soc):
    # Their layout does not depend on the DRAM.
    geom = GeomSettings(bankbits=2, rowbits=13, colbits=9)
    pins = dfi.Interface(addressbits=13, bankbits=2, nranks=1, databits=16)
    soc.tap = DRAMTap(pins, geom, column_bytes=2)
    soc.mrc = Monitor(soc.tap, hot_pages=64)
    soc.ranks = RankRegisters(domains=MAX_DOMAINS, virtual=False, groups=64, partial=True)
    soc.refs = RefCounterRegisters(
        pages=65536, masters=4, contexts=8, width=12, queue_depth=512, page_shift=12
    )
    soc.traffic = TrafficGenerator(LiteDRAMNativePort("both", address_width=24, data_width=64))


def registers():
    """The registers of each block, in order of address, by the block's name."""
    return registers_of(_every_block, BLOCKS)


def registers_of(add, blocks):
    """The registers of blocks that `add` gives to a SoC, in order of address, by the block's name."""
    soc = _RegistersOnly(add)
    soc.finalize()
    return {name: _of_region(soc.csr_regions[name]) for name in blocks}


def _of_region(region):
    found, offset = [], 0
    for csr in region.obj:
        fields = getattr(csr, "fields", None)
        found.append(
            Register(
                name=csr.name,
                offset=offset,
                size=csr.size,
                access="read-only" if getattr(csr, "read_only", False) else "read-write",
                reset=_reset(csr),
                description=" ".join((getattr(csr, "description", None) or "").split()),
                fields=tuple(
                    Field(f.name, f.offset, f.size, " ".join((f.description or "").split()))
                    for f in (fields.fields if fields else ())
                ),
            )
        )
        offset += 4 * -(-csr.size // region.busword)
    return found


def _reset(csr):
    signal = getattr(csr, "storage", None)
    if signal is None:
        signal = getattr(csr, "status", None)
    return signal.reset.value if signal is not None else 0
