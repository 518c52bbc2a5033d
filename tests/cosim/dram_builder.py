"""Builds the bench of LiteDRAM's controller before the DDR3 model (dram_top.py, bench/dram_bench.cpp)."""

import os
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from builder import BUILD, COSIM, REPO, VERILATOR_FLAGS, _product, _run, take_verilator_objects
from mutation import mutated_source

MODEL = REPO / "litex-soc" / "ddr3_model"


@dataclass(frozen=True)
class ModelMutant:
    """One text in one header of the model replaced by another; it must stand there exactly once."""

    name: str
    header: str
    old: str
    new: str

    def folder(self) -> Path:
        """A copy of the model with the fault in it; returns the folder to include from."""
        folder = BUILD / "mutants" / f"ddr3_{self.name}"
        copy = folder / MODEL.name
        shutil.copytree(MODEL, copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
        (copy / self.header).write_text(mutated_source(MODEL / self.header, self.old, self.new))
        return folder


def dram_bench(
    grade: str, ranks: int, address_map: str, *timings: str, mutant: ModelMutant | None = None
) -> Path:
    """Build the bench.

    :param grade: 800, 1066 or 1600.
    :param timings: `name=clocks` of LiteDRAM's TimingSettings, for a controller that breaks a rule.
    :return: the executable.
    :raises RuntimeError: if a tool fails; its output is in the message.
    """
    include = mutant.folder() if mutant else MODEL.parent

    def build(folder: Path) -> Path:
        verilog, bench = folder / "top.v", COSIM / "bench" / "dram_bench.cpp"
        path = os.pathsep.join([str(REPO / "litex-soc"), sysconfig.get_path("purelib")])
        generate = [sys.executable, "-S", COSIM / "dram_top.py", grade, ranks, address_map]
        generate += [verilog, folder / "dram.hpp", *timings]
        _run(generate, env={**os.environ, "PYTHONPATH": path})
        take_verilator_objects(folder)
        flags = ["-MAKEFLAGS", "OPT_FAST= OPT_SLOW= OPT_GLOBAL="]
        flags += ["-CFLAGS", f"-std=c++17 -O1 -I{folder} -I{include}"]
        _run(["verilator", *VERILATOR_FLAGS, *flags, "--Mdir", folder, "-o", "bench", verilog, bench])
        return folder / "bench"

    label = mutant.name if mutant else "true"
    inputs = [COSIM / name for name in ("dram_builder.py", "dram_top.py", "rtl_top.py")]
    benches = ("dram_bench.cpp", "native_ports.hpp", "rtl.hpp", "mismatch.hpp")
    inputs += [COSIM / "bench" / name for name in benches]
    inputs += [REPO / "litex-soc" / "sim_ddr3.py", REPO / "litex-soc/litemrc_gateware/bank_row_column.py"]
    inputs += sorted((include / MODEL.name).glob("*.hpp"))
    return _product("-".join(["dram", grade, str(ranks), address_map, *timings, label]), inputs, build)
