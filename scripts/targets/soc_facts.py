# SPDX-License-Identifier: BSD-2-Clause
"""Elaborates one SoC with the one line of `add_monitor`, up to its Verilog in memory.

python -m scripts.targets.soc_facts '{"target": "digilent_arty", "options": {}}'      the facts as JSON
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

from litemrc_gateware import add_monitor
from litemrc_gateware.integration.block_rams import block_rams

from scripts.targets.dram import DRAM


def target_module(target: str) -> ModuleType:
    """Return the module of a target: a file, a module of litex_boards.targets, or any other module."""
    if target.endswith(".py"):
        sys.path.insert(0, str(Path(target).resolve().parent))  # a target may have its platform beside it
        spec = importlib.util.spec_from_file_location(Path(target).stem, target)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    return import_module(target if "." in target else f"litex_boards.targets.{target}")


class _Built(BaseException):
    """Carries the SoC out of a target's main()."""

    def __init__(self, soc: Any) -> None:
        self.soc = soc


def built_soc(target: str, options: dict[str, Any]) -> Any:
    """Return a target's SoC: as its main() makes it for LiteX's builder, or BaseSoC if there is no main().

    Raises
    ------
    ValueError
        if the target has no SoC, or does not build.
    """
    try:
        module = target_module(target)
        base = getattr(module, "BaseSoC", None)
        if base is None:
            raise ValueError("there is no class BaseSoC, as in the targets of litex-boards")
        if not (hasattr(module, "main") and hasattr(module, "Builder")):
            return base(**_rom(base), **options)
        module.Builder = _stop
        module.BaseSoC = lambda *words, **named: base(*words, **named | options)
        sys.argv = [target]
        module.main()
    except _Built as built:
        return built.soc
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{target} does not build, without the monitor: {type(error).__name__}: {error}"
        ) from error
    raise ValueError(f"{target}: main() does not give a SoC to LiteX's Builder")


def _stop(soc: Any, *words: Any, **named: Any) -> None:
    raise _Built(soc)


def elaborate(target: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a target with the monitor; LiteX keeps global state: call it once a process."""
    soc = built_soc(target, options)
    soc.platform.output_dir = str(Path.cwd())  # as LiteX's builder does; some processors write there
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
        "data_bits": settings.databits,
        "peak_megabytes": soc.constants["MRC_PEAK_MEGABYTES"],
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
