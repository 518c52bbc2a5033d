# SPDX-License-Identifier: BSD-2-Clause
"""The folder of Verilog that an HLS compiler exported for a unit."""

import re
from pathlib import Path

from litemrc_gateware.hls.units import HLS_UNITS

ORIGIN = "origin.txt"  # one line in the folder: compiler and version
MEMORY_CONTENTS = (".dat", ".mem")  # read by the Verilog of Vitis HLS and of Bambu, from where the tool runs


def unit_and_folder(text):
    """Return name and folder of ``UNIT=FOLDER``, for options of commands.

    Raises
    ------
    ValueError
        if there is no such unit, or no folder.
    """
    unit, equals, folder = text.partition("=")
    if unit not in HLS_UNITS or not equals or not folder:
        raise ValueError(f"not UNIT=FOLDER: {text}")
    return unit, Path(folder)


def origin_of(folder):
    """The compiler that made the Verilog of a folder, and its version."""
    path = Path(folder) / ORIGIN
    return path.read_text().strip() if path.exists() else "Vitis HLS"


def exported_files(folder, top, ports):
    """The files that an HLS compiler exported for a unit: its Verilog, and the contents of its memories.

    Parameters
    ----------
    folder : Path
        of the exported Verilog: ``build/bambu/<unit>`` of ``make hls``,
        ``build/vitis/<unit>/solution/impl/verilog`` of ``vitis_hls``, ``build/vitis/<unit>/hls/impl/verilog``
        of ``v++``.
    top : str
        the top function's name.
    ports : dict of str to int
        the widths in bits that ports of this module must have.

    Returns
    -------
    list of Path
        Verilog files, then the contents of memories, which must be in the folder where the tool that reads
        them runs.

    Raises
    ------
    ValueError
        if the folder holds no Verilog, or none with this module, or a port has another width.
    """
    folder = Path(folder)
    verilog = sorted([*folder.glob("*.v"), *folder.glob("*.sv")])
    if not verilog:
        raise ValueError(f"{folder} holds no Verilog: make {top} with make hls or hls/run_hls.tcl first")
    for path in verilog:
        if module := re.search(
            rf"^\s*module\s+{top}\b.*?^\s*endmodule", path.read_text(), re.MULTILINE | re.DOTALL
        ):
            _check_widths(path, top, module.group(), ports)
            break
    else:
        raise ValueError(f"no Verilog file of {folder} has the module {top}")
    contents = [path for suffix in MEMORY_CONTENTS for path in sorted(folder.glob(f"*{suffix}"))]
    return [*verilog, *contents]


def _check_widths(path, top, module, ports):
    for port, expected in ports.items():
        # "input [23:0] ops_TDATA" in the header of the module, or, as Vitis writes it, behind the header.
        found = re.search(
            rf"\b(?:input|output)\s+(?:wire\s+|reg\s+)?(?:\[\s*(\d+)\s*:\s*0\s*\]\s*)?{port}\b", module
        )
        if not found:
            raise ValueError(f"{path}: the module {top} has no port {port}; was it exported from hls/{top}?")
        width = int(found[1] or 0) + 1
        if width != expected:
            raise ValueError(
                f"{path}: the port {port} of {top} has {width} bits, but this monitor needs {expected}; "
                f"export {top} for its frames, groups and contexts (DEFINES in hls/README.md)"
            )
