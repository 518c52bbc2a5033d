# SPDX-License-Identifier: BSD-2-Clause
"""Builds the bench of LiteDRAM's controller with the DDR3 model (dram_top.py, bench/dram_bench.cpp)."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.compiling import FAULTY_LEVEL, LEVEL, RULES, compiled, link, verilate
from tests.cosim.builder import COSIM, TRUE_SOURCES, generate_verilog
from tests.mutation import mutated_source
from tests.products import BUILD, REPO, product

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

    Parameters
    ----------
    grade
        800, 1066 or 1600.
    timings
        `name=clocks` of LiteDRAM's TimingSettings, for a controller that breaks a rule.

    Returns
    -------
    the executable.

    Raises
    ------
    RuntimeError
        if a tool fails; its output is in the message.
    """
    include = mutant.folder() if mutant else MODEL.parent

    def build(folder: Path) -> Path:
        top = [grade, ranks, address_map, folder / "top.v", folder / "dram.hpp", *timings]
        generate_verilog("dram_top", top, TRUE_SOURCES)
        rtl = verilate(folder, [folder / "top.v"], FAULTY_LEVEL if mutant else LEVEL)
        headers = [*benches[1:], *model, folder / "dram.hpp"]
        bench = compiled(benches[0], f"dram_bench-{name}", [f"-I{folder}", f"-I{include}"], headers, folder)
        return link(folder, "bench", [bench, *rtl])

    name = "-".join([grade, str(ranks), address_map, *timings, mutant.name if mutant else "true"])
    makers = [*RULES, *(COSIM / name for name in ("dram_builder.py", "dram_top.py", "rtl_top.py"))]
    names = ("dram_bench.cpp", "native_ports.hpp", "rtl.hpp", "mismatch.hpp")
    benches = [COSIM / "bench" / name for name in names]
    gateware = [
        REPO / "litex-soc" / "litemrc_soc" / "simulation" / "ddr3.py",
        REPO / "litex-soc/litemrc_gateware/tap/dram_address.py",
    ]
    model = sorted((include / MODEL.name).rglob("*.hpp"))
    return product(f"dram-{name}", [*makers, *benches, *gateware, *model], build)
