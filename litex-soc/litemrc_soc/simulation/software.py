# SPDX-License-Identifier: BSD-2-Clause
"""Builds the C libraries of simulated SoCs; picolibc, the slowest, is compiled once for each processor."""

import fcntl
import hashlib
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

# The libraries that the bare-metal firmware links, without the BIOS. The shim for Linux links none.
LIBRARIES = ("libc", "libcompiler_rt", "libbase", "liblitedram")

STRIP = "riscv64-unknown-elf-strip"


def build_with_libraries(builder, libraries=LIBRARIES, **options):
    """Call `builder.build(**options)` with only these libraries of LiteX, and reuse libc of earlier builds.

    Parameters
    ----------
    builder
        a LiteX Builder; libc is shared by all builds in the parent of its output folder.
    """
    keep = [package for package in builder.software_packages if package[0] in libraries]
    builder.software_packages, builder.software_libraries = keep, list(libraries)
    if "libc" not in libraries:
        builder.build(**options)
        return
    output = Path(builder.output_dir)
    kept, made = output.parent / f"libc-{_digest(builder.soc.cpu)}", output / "software" / "libc"
    with (output.parent / "libc.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            builder.build(**options)
            _copy(made, kept)
            _copy(kept, made)
            return
    if not made.exists():
        _copy(kept, made)
    builder.build(**options)


def _digest(cpu):
    """A digest of the inputs of libc."""
    packages = ("litex", "pythondata-software-picolibc")
    words = [cpu.gcc_flags, *(version(package) for package in packages)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


def _copy(made, to):
    """Copy a built libc without its 80 MB of debug information; the copy appears atomically.

    Its files' times are those of the copy, in the order of before, so that make does not rebuild it.
    """
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(aside := to.with_name(f"{to.name}.new"), ignore_errors=True)
    aside.mkdir()
    for path in sorted(
        (path for path in made.iterdir() if path.is_file()), key=lambda path: path.stat().st_mtime_ns
    ):
        if path.suffix == ".a":
            subprocess.run([STRIP, "--strip-debug", path, "-o", aside / path.name], check=True)
        else:
            shutil.copy(path, aside)
    shutil.rmtree(to, ignore_errors=True)
    aside.replace(to)
