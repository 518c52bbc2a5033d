# SPDX-License-Identifier: BSD-2-Clause
"""The bare-metal firmware, compiled against a board's SoC: contents of its ROM, or of a RAM."""

import re
import subprocess
import sys
from pathlib import Path

MAKEFILE = Path(__file__).resolve().parents[3] / "firmware" / "baremetal" / "Makefile"
# The libraries that the firmware links; no BIOS.
SOFTWARE = ("libc", "libcompiler_rt", "libbase", "liblitedram")


def compile_firmware(output, optimize, region="rom"):
    """Compile the firmware for the SoC in ``output``; returns the path of its image.

    Parameters
    ----------
    optimize
        the compiler's options.
    region
        the SoC's memory that its code is for.

    Raises
    ------
    RuntimeError
        if it does not compile; the message names the log.
    """
    folder = output / "firmware"
    folder.mkdir(parents=True, exist_ok=True)
    variables = {"SOC": output, "OUT": folder, "PYTHON": sys.executable, "OPTIMIZE": optimize}
    if region != "rom":
        variables["REGIONS"] = move_code(output, folder, region)
    command = ["make", "-f", str(MAKEFILE), *(f"{name}={value}" for name, value in variables.items())]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    log = folder / "build.log"
    log.write_text(done.stdout)
    if done.returncode:
        raise RuntimeError(f"the firmware did not compile, see {log}:\n{done.stdout[-2000:]}")
    return folder / "firmware.bin"


def move_code(output, folder, region):
    """Write a linker's memory map that puts the code in `region`; returns its folder."""
    regions = (output / "software/include/generated/regions.ld").read_text()
    renamed = re.sub(r"\brom\b", "bios_rom", regions)
    renamed, found = re.subn(rf"\b{region}\b", "rom", renamed)
    if found != 1:
        raise ValueError(f"{region} must occur once in {regions!r} (found {found})")
    moved = folder / "regions"
    (moved / "generated").mkdir(parents=True, exist_ok=True)
    (moved / "generated/regions.ld").write_text(renamed)
    return moved


def read_words(image, rom_bytes):
    """The 32-bit words of an image, little endian.

    Raises
    ------
    ValueError
        if the ROM is too small for it.
    """
    content = image.read_bytes()
    if len(content) > rom_bytes:
        raise ValueError(f"{image} has {len(content):,} bytes, the ROM {rom_bytes:,}")
    content += bytes(-len(content) % 4)
    return [int.from_bytes(content[at : at + 4], "little") for at in range(0, len(content), 4)]
