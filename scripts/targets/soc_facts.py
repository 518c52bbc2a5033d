"""Elaborates one SoC with the one line of `add_monitor`, up to its Verilog in memory.

python scripts/targets/soc_facts.py '{"target": "digilent_arty", "options": {}}'      the facts as JSON
"""

import importlib.util
import inspect
import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "litex-soc")]

from dram import DRAM
from litemrc_gateware import add_monitor
from litemrc_gateware.integration.block_rams import block_rams

# Cores that some targets import for options that are not used here.
_UNUSED = (
    "litepcie",
    "litepcie.phy",
    "litepcie.phy.s7pciephy",
    "litepcie.phy.uspciephy",
    "litepcie.phy.usppciephy",
    "litepcie.software",
)


def target_module(target: str) -> ModuleType:
    """Return the module of a target: a file, a module of litex_boards.targets, or any other module."""
    for module in _UNUSED:
        try:
            import_module(module)
        except ImportError:
            sys.modules[module] = MagicMock()
    if target.endswith(".py"):
        sys.path.insert(0, str(Path(target).resolve().parent))  # a target may have its platform beside it
        spec = importlib.util.spec_from_file_location(Path(target).stem, target)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    return import_module(target if "." in target else f"litex_boards.targets.{target}")


def elaborate(target: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a target's SoC with the monitor; LiteX keeps global state: call it once a process.

    :raises ValueError: if the target has no SoC that can have a monitor.
    """
    base = getattr(target_module(target), "BaseSoC", None)
    if base is None:
        raise ValueError(f"{target} has no class BaseSoC, as the targets of litex-boards have")
    try:
        soc = base(**_rom(base), **options)
    except Exception as error:
        raise ValueError(
            f"{target} does not build, without the monitor: {type(error).__name__}: {error}"
        ) from error
    monitor = add_monitor(soc)
    blocks = block_rams(monitor)
    soc.finalize()
    soc.platform.get_verilog(soc.get_fragment())
    phy = getattr(soc, "ddrphy", None) or soc.sdrphy
    settings = phy.settings
    dram = DRAM.of_soc(phy, soc.sdram, soc.sys_clk_freq)
    frames = 2**soc.mrc_tap.frame_bits
    return {
        "cpu": soc.cpu_type or "none",
        "bus": f"{soc.bus.standard}, {soc.bus.data_width} bits",
        "memory": settings.memtype,
        "ratio": f"1:{settings.nphases}",
        "ranks": settings.nranks,
        "frames": frames,
        "frames_right": frames << 12 == dram.bytes,
        "pages": monitor.pages,
        "sampling": frames // monitor.pages,
        "block_rams": blocks,
        "window": f"0x{soc.bus.regions['mrc_window'].origin:08x}",
        "elaborated": True,
        "dram": asdict(dram),
    }


def _rom(base: type) -> dict[str, int]:
    """The ROM that LiteX's builder would size for its BIOS, if the SoC takes it."""
    parameters = inspect.signature(base).parameters.values()
    takes = any(each.kind is each.VAR_KEYWORD or each.name == "integrated_rom_size" for each in parameters)
    return {"integrated_rom_size": 0x1_0000} if takes else {}


if __name__ == "__main__":
    print("\n" + json.dumps(elaborate(**json.loads(sys.argv[1]))))
