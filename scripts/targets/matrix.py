# SPDX-License-Identifier: BSD-2-Clause
"""The SoCs on which `add_monitor` is tried: stock targets, one of them with other processors and buses."""

import shutil
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any


@dataclass(frozen=True)
class Case:
    """A target and the options of its SoC.

    Attributes
    ----------
    target
        name of a module of litex_boards.targets, or a file.
    options
        of its BaseSoC.
    needs
        modules and programs of its processor.
    """

    target: str
    options: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The target with its options, as in a table."""
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        target = Path(self.target).stem if self.target.endswith(".py") else self.target
        return f"{target} ({options})" if options else target

    @property
    def missing(self) -> str:
        """Why the case cannot be tried here; empty if it can."""
        missing = [each for each in self.needs if not (find_spec(each) or shutil.which(each))]
        names = " and ".join("LiteX 2026.04" if each == _CONVERTER else each for each in missing)
        return f"{names} not installed" if missing else ""


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

# LiteX builds Microwatt again since 2026.04, which brought this module.
_CONVERTER = "litex.build.converter_common"

_ARTY = (
    Case("digilent_arty", {"cpu_variant": "linux"}),
    Case("digilent_arty", {"cpu_type": "picorv32"}),
    Case("digilent_arty", {"cpu_type": "serv"}),
    Case("digilent_arty", {"cpu_type": "rocket", "cpu_variant": "small", "bus_data_width": 64}),
    Case("digilent_arty", {"cpu_type": "None"}),
    Case("digilent_arty", {"bus_data_width": 64}),
    Case("digilent_arty", {"bus_standard": "axi-lite"}),
    Case("digilent_arty", {"bus_standard": "axi", "bus_data_width": 64}),
    Case("digilent_arty", {"cpu_type": "microwatt"}, ("pythondata_cpu_microwatt", _CONVERTER)),
    # Not on the package index: docs/smp.md.
    Case("digilent_arty", {"cpu_type": "vexriscv_smp"}, ("pythondata_cpu_vexriscv_smp",)),
    # LiteX generates these with Scala, from sources that it fetches.
    Case("digilent_arty", {"cpu_type": "naxriscv"}, ("pythondata_cpu_naxriscv", "sbt")),
    Case("digilent_arty", {"cpu_type": "vexiiriscv"}, ("pythondata_cpu_vexiiriscv", "sbt")),
)  # fmt: skip

CASES = (*map(Case, _TARGETS), *_ARTY)


def chosen(words: list[str], options: dict[str, Any]) -> list[Case]:
    """Return the cases that a user named: files and modules of litex_boards.targets, or words of the matrix.

    Parameters
    ----------
    options
        of the SoCs of files and modules.

    Raises
    ------
    ValueError
        if a word names nothing.
    """
    cases: list[Case] = []
    for word in words:
        found = [case for case in CASES if word in case.name]
        if word.endswith(".py") and not Path(word).is_file():
            raise ValueError(f"there is no file {word}")
        if word.endswith(".py") or _is_target(word):
            cases.append(Case(str(Path(word).resolve()) if word.endswith(".py") else word, options))
        elif found and not options:
            cases += [case for case in found if case not in cases]
        else:
            near = [name for name in _stock_names() if word in name]
            raise ValueError(
                f"no target {word!r}: give a file, a module of litex_boards.targets "
                f"({', '.join(near) or 'digilent_arty'}), or, without options, a word of the matrix"
            )
    return cases or list(CASES)


def _stock_names() -> list[str]:
    folders = find_spec("litex_boards.targets").submodule_search_locations
    return sorted(module.name for module in iter_modules(folders))


def _is_target(word: str) -> bool:
    try:
        return find_spec(word if "." in word else f"litex_boards.targets.{word}") is not None
    except ModuleNotFoundError:
        return False
