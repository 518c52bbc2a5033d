# SPDX-License-Identifier: BSD-2-Clause
"""The processor of QEMU that is like VexRiscv."""

import re
import subprocess
from functools import cache


@cache
def processor(bits: int = 32) -> str:
    """Return QEMU's `-cpu`: without floating point, compressed instructions and a timer of supervisor mode.

    QEMU has Zfa from 8.1 on, and refuses it without floating point.
    """
    processor = f"rv{bits},f=off,d=off,c=off,sstc=off"
    try:
        command = [f"qemu-system-riscv{bits}", "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return processor  # nothing can be run
    version = re.search(r"version (\d+)\.(\d+)", said)
    has_zfa = version is not None and tuple(map(int, version.groups())) >= (8, 1)
    return processor + ",zfa=off" * has_zfa
