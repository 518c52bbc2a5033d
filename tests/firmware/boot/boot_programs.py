# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the S-mode programs that test the shim."""

import subprocess
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
COMPILE = [
    *("riscv64-unknown-elf-gcc", "-march=rv32ima_zicsr_zifencei", "-mabi=ilp32", "-std=gnu11", "-O2"),
    *("-ffreestanding", "-nostdlib", "-fno-builtin", "-Wall", "-Wextra", "-Werror"),
    *("-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments"),
]


def build_program(folder, name, base, *flags):
    """Build programs/NAME.c in `folder`, linked to run at `base`; return the image's path."""
    elf = folder / f"{name}.elf"
    sources = [PROGRAMS / "smode.S", PROGRAMS / "smode.c", PROGRAMS / f"{name}.c"]
    link = [f"-Wl,-T,{PROGRAMS / 'smode.ld'}", f"-Wl,--defsym=base={base:#x}", f"-DBASE={base:#x}"]
    subprocess.run([*COMPILE, *flags, *link, "-o", str(elf), *map(str, sources)], check=True)
    image = elf.with_suffix(".bin")
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", str(elf), str(image)], check=True)
    return image
