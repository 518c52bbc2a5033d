# SPDX-License-Identifier: BSD-2-Clause
"""Builds the testbenches of hls/ around the Verilog that an HLS compiler made of a top function."""

from pathlib import Path

from scripts.hls.tops import HLS, TOPS
from tests.compiling import RULES, compiled, link, verilate
from tests.cosim.builder import AP_TYPES, cpp_inputs
from tests.cosim.builder import TRUE_SOURCES as CPP
from tests.products import product

HERE = Path(__file__).resolve().parent


def bench(top: str, folder: Path, label: str = "soc") -> Path:
    """Build the testbench of a top function that its Verilog carries out.

    Parameters
    ----------
    folder
        of the Verilog: ``<top>.v`` with the module of that name.
    label
        of the executable.

    Returns
    -------
    the executable: operations, seed.

    Raises
    ------
    RuntimeError
        if a tool fails; its output is in the message.
    """
    unit = HLS / TOPS[top].unit
    verilog = folder / f"{top}.v"
    own = [HERE / name for name in ("top_functions.cpp", "rtl_call.hpp", "cosimulation.py")]
    inputs = [*own, verilog, *sorted(HLS.glob("*/*.?pp"))]

    def build(made_in: Path) -> Path:
        rtl = verilate(made_in, [verilog], module=top)
        flags = [f"-I{HLS}", "-isystem", str(AP_TYPES)]

        def compiled_as(source: Path, *more: str, verilated: Path | None = None) -> Path:
            name = f"{source.stem}-{top}-{label}"
            return compiled(source, name, [*flags, *more], [*inputs, *cpp_inputs(CPP)], verilated)

        return link(
            made_in,
            "bench",
            [
                compiled_as(own[0], f"-DTOP_{top}", verilated=made_in),
                compiled_as(unit / f"{unit.name}_tb.cpp", "-Dmain=testbench"),
                # The function itself, out of the way, and the others of its file.
                compiled_as(unit / f"{unit.name}.cpp", f"-D{top}={top}_in_cpp"),
                *rtl,
            ],
        )

    return product(f"hls-{top}-{label}", [*inputs, *RULES], build)
