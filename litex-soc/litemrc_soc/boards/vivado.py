# SPDX-License-Identifier: BSD-2-Clause
"""Boards of Xilinx: a portable Vivado project, and the bitstream where Vivado is installed.

No Vivado has been run on these projects yet.
"""

import shutil
from pathlib import Path

from litemrc_soc.boards.board import NAME, BuiltBoard, elaborate
from litemrc_soc.boards.open_tools import run_script

TIMING_MET = "All user specified timing constraints are met."  # in Vivado's timing summary


def build_vivado(board, soc, output, compile_gateware=True):
    """Build the project in ``output``/gateware and, if ``vivado`` is on PATH, ``litemrc.bit``.

    Parameters as of :func:`litemrc_soc.boards.board.build_ecp5`.

    Returns
    -------
    BuiltBoard

    Raises
    ------
    RuntimeError
        if Vivado fails, or timing is not met; there is no ``litemrc.bit`` then.
    """
    output = output.resolve()
    folder = elaborate(board, soc, output)
    gather_sources(soc.platform.sources, folder)
    bitstream = output / f"{NAME}.bit"
    bitstream.unlink(missing_ok=True)
    if not compile_gateware or not shutil.which("vivado"):
        return BuiltBoard(
            f"no bitstream, because Vivado is not on PATH: {folder} is the whole project. With Vivado:\n"
            f"    cd {folder.name} && vivado -mode batch -source {NAME}.tcl\n"
            f"then: litemrc flash --board {board.name} --bitstream {NAME}.bit"
        )
    run_script(folder, f"build_{NAME}.sh")
    if TIMING_MET not in (folder / f"{NAME}_timing.rpt").read_text(errors="replace"):
        raise RuntimeError(f"{board.name}: a clock misses its target, see {folder}/{NAME}_timing.rpt")
    shutil.copyfile(folder / f"{NAME}.bit", bitstream)
    return BuiltBoard(
        f"{bitstream}; size and clocks: {folder}/{NAME}_utilization_place.rpt, {NAME}_timing.rpt"
    )


def gather_sources(sources, folder):
    """Copy the Verilog from outside `folder` into it, and change its paths in the script."""
    script = folder / f"{NAME}.tcl"
    text = script.read_text()
    for source, *_ in sources:
        path = Path(source)
        if path.is_absolute():
            if path.parent != folder:
                shutil.copyfile(path, folder / path.name)
            text = text.replace(f"{{{source}}}", f"{{{path.name}}}")
    script.write_text(text)
