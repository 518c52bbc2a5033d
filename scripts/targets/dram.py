# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM of a SoC in plain numbers, from which its controller is built again for a simulation."""

from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

from litedram.common import GeomSettings, PhySettings, TimingSettings
from litedram.core.controller import ControllerSettings
from migen import Signal

_TIMINGS = ("tRP", "tRCD", "tWR", "tWTR", "tREFI", "tRFC", "tFAW", "tCCD", "tRRD", "tRC", "tRAS", "tZQCS")
_PHY = ("memtype", "databits", "dfi_databits", "nphases", "nranks", "cl", "cwl", "read_latency",
        "write_latency", "is_clam_shell")  # fmt: skip
_CONTROLLER = ("cmd_buffer_depth", "cmd_buffer_buffered", "read_time", "write_time", "refresh_zqcs_freq",
               "refresh_postponing", "with_auto_precharge", "bank_byte_alignment")  # fmt: skip
# What differs between targets without an effect on how commands address the memory.
_RATES = ("cl", "cwl", "read_latency", "write_latency")


@dataclass(frozen=True)
class DRAM:
    """Settings of a LiteDRAM controller and its PHY, as JSON has them.

    Attributes
    ----------
    clk_freq
        of the controller, Hz.
    geom
        bankbits, rowbits, colbits.
    timing
        cycles, by LiteDRAM's names; None where the memory has none.
    phy
        of PhySettings; rdphase and wrphase are here if they are fixed.
    phases
        rdphase and wrphase at reset, if the BIOS sets them while it runs.
    dfi
        addressbits, bankbits, selects and nphases of the PHY's interface.
    controller
        of ControllerSettings.
    """

    clk_freq: float
    geom: dict[str, int]
    timing: dict[str, int | None]
    phy: dict[str, Any]
    phases: dict[str, int]
    dfi: dict[str, int]
    controller: dict[str, Any]

    @classmethod
    def of_soc(cls, phy: Any, sdram: Any, clk_freq: float) -> "DRAM":
        """Return the settings of a controller (``soc.sdram``) and its PHY."""
        settings = sdram.controller.settings
        named = {name: getattr(phy.settings, name) for name in ("rdphase", "wrphase")}
        first = phy.dfi.phases[0]
        return cls(
            clk_freq=clk_freq,
            geom={name: getattr(settings.geom, name) for name in ("bankbits", "rowbits", "colbits")},
            timing={name: getattr(settings.timing, name) for name in _TIMINGS},
            phy={name: getattr(phy.settings, name) for name in _PHY}
            | {name: phase for name, phase in named.items() if isinstance(phase, int)},
            phases={name: at.reset.value for name, at in named.items() if isinstance(at, Signal)},
            dfi={
                "addressbits": len(first.address),
                "bankbits": len(first.bank),
                "selects": len(first.cs_n),
                "nphases": len(phy.dfi.phases),
            },
            controller={name: getattr(settings, name) for name in _CONTROLLER},
        )

    @property
    def key(self) -> str:
        """What decides how a command addresses the memory; targets that share it share a simulation."""
        facts = asdict(self)
        phy = {name: value for name, value in facts["phy"].items() if name not in _RATES}
        return repr((facts["geom"], phy, sorted(facts["phases"]), facts["dfi"], facts["controller"]))

    @property
    def word_bytes(self) -> int:
        """Bytes that one column command moves."""
        return self.phy["dfi_databits"] * self.phy["nphases"] // 8

    @property
    def bytes(self) -> int:
        """Of all ranks."""
        return self.phy["nranks"] * self.phy["databits"] // 8 << sum(self.geom.values())

    def module(self) -> SimpleNamespace:
        """Return what a controller needs of a memory module."""
        timing = TimingSettings(**self.timing)
        timing.fine_refresh_mode = None
        geom = GeomSettings(**self.geom)
        return SimpleNamespace(memtype=self.phy["memtype"], geom_settings=geom, timing_settings=timing)

    def phy_settings(self, **changed: Any) -> PhySettings:
        """Return the PHY's settings, some of them changed."""
        return PhySettings(phytype="ModelPHY", **self.phy | self.phases | changed)

    def controller_settings(self) -> ControllerSettings:
        """Return those of the controller."""
        return ControllerSettings(**self.controller)
