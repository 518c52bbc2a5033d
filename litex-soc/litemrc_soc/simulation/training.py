# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program on a simulator whose build measures which branches are taken (training.c)."""

import inspect
import subprocess
import time
from pathlib import Path

from litemrc.device.simulation.simulator import ROM_INIT, Simulator, as_words
from litex.soc.integration.builder import soc_directory
from litex.soc.integration.soc import SoC

HERE = Path(__file__).resolve().parent
SOFTWARE = Path(soc_directory) / "software"
INCLUDE = HERE.parents[2] / "firmware" / "include"
SECONDS = 6.0
"""Of four million cycles with SDR SDRAM, a million and a half with DDR3."""


def train(soc: SoC, output: Path) -> None:
    """Compile the program for the SoC of the built simulator in `output`, and run it for some seconds.

    Raises
    ------
    subprocess.CalledProcessError
        if the compiler fails.
    """
    folder = output / "training"
    folder.mkdir(exist_ok=True)
    elf, image = folder / "training.elf", folder / "training.bin"
    stack = soc.bus.regions["sram"]
    includes = (
        *(output / "software" / "include", SOFTWARE / "include", SOFTWARE),
        *(Path(inspect.getfile(type(soc.cpu))).parent, INCLUDE),
    )
    subprocess.run(
        [
            *("riscv64-unknown-elf-gcc", *soc.cpu.gcc_flags.split(), "-O2", "-ffreestanding", "-nostdlib"),
            *(f"-I{path}" for path in includes),
            f"-Wl,-Ttext={soc.bus.regions['rom'].origin},-estart,--build-id=none",
            f"-Wl,--defsym=stack_end={stack.origin + stack.size}",
            *("-o", elf, HERE / "training.c"),
        ],
        check=True,
    )
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, image], check=True)
    simulator = Simulator(output, None, folder / "run")
    (simulator.run_dir / ROM_INIT).write_text(as_words(image.read_bytes(), soc.bus.data_width // 8))
    with simulator:
        time.sleep(SECONDS)
