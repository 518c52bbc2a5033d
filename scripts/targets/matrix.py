"""The SoCs on which `add_monitor` is tried: stock targets, one of them with other processors and buses."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A target and the options of its SoC.

    Attributes:
        target: name of a module of litex_boards.targets.
        options: of its BaseSoC.
    """

    target: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The target with its options, as in a table."""
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.target} ({options})" if options else self.target


# One or more of each memory type, ratio and size that litex-boards has.
_TARGETS = (
    # SDR, 1:1 and 1:2
    "trenz_max1000",
    "sipeed_tang_nano_20k",
    "aliexpress_xc7k70t",
    "radiona_ulx3s",
    "terasic_de10lite",
    "terasic_de1soc",
    "machdyne_konfekt",
    "machdyne_mozart_ml1",
    "mist",
    "scarabhardware_minispartan6",
    # LPDDR and DDR2, 1:2
    "saanlima_pipistrello",
    "digilent_atlys",
    "digilent_nexys4ddr",
    # DDR3, 1:2 and 1:4
    "lattice_versa_ecp5",
    "lambdaconcept_ecpix5",
    "camlink_4k",
    "trellisboard",
    "sipeed_tang_primer_20k",
    "digilent_arty",
    "digilent_nexys_video",
    "digilent_genesys2",
    "kosagi_netv2",
    "numato_nereid",
    "sqrl_acorn",
    "xilinx_kc705",
    # DDR4, 1:4; the VCU128 as a clamshell
    "xilinx_kcu105",
    "xilinx_vcu118",
    "xilinx_vcu128",
    "xilinx_zcu104",
    "xilinx_alveo_u200",
    # LPDDR4, 1:8
    "antmicro_lpddr4_test_board",
)

_ARTY = (
    {"cpu_variant": "linux"},
    {"cpu_type": "picorv32"},
    {"cpu_type": "serv"},
    {"cpu_type": "rocket", "cpu_variant": "small", "bus_data_width": 64},
    {"cpu_type": "None"},
    {"bus_data_width": 64},
    {"bus_standard": "axi-lite"},
    {"bus_standard": "axi", "bus_data_width": 64},
)

CASES = (*map(Case, _TARGETS), *(Case("digilent_arty", options) for options in _ARTY))
