# SPDX-License-Identifier: BSD-2-Clause
"""Fresh virtual environments, outside the repository, and what an installed distribution must do there."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
VERSION = (REPO / "VERSION").read_text().strip()
# Two pages in turn.
TRACE = "0x1000\n0x2000\n" * 50

# A LiteX SoC of one's own, with the monitor beside its SDRAM, as far as Verilog.
SOC = """
from litedram.modules import MT48LC16M16
from litedram.phy.model import SDRAMPHYModel
from litex.build.sim import SimPlatform
from litex.build.generic_platform import Pins
from litex.soc.integration.export import get_csr_csv
from litex.soc.integration.soc_core import SoCMini
from litex.gen import ClockDomain
from litemrc_gateware import add_monitor, add_ranks, add_ref_counters

class SoC(SoCMini):
    def __init__(self):
        platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1))])
        super().__init__(platform, 50_000_000, ident="monitored")
        self.clock_domains.cd_sys = ClockDomain(reset_less=True)
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        module = MT48LC16M16(50_000_000, "1:1")
        self.sdrphy = SDRAMPHYModel(module, data_width=16, clk_freq=50_000_000)
        self.add_sdram("sdram", phy=self.sdrphy, module=module, l2_cache_size=0)
        add_monitor(self, self.sdrphy)

soc = SoC()
soc.finalize()
verilog = str(soc.platform.get_verilog(soc, name="monitored"))
assert "mrc" in verilog and verilog.count("always @(posedge") > 0
print(get_csr_csv(soc.csr_regions, soc.constants, soc.mem_regions))
"""


class CheckError(Exception):
    """A distribution or what it prints is not what it must be: what, where, and the remedy."""


def run(*command: str | Path, cwd: Path, seconds: float = 600) -> str:
    """What a command prints, run without the variables that lead into the repository.

    Raises
    ------
    CheckError
        if it fails.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))
    }
    folders = os.environ["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(part for part in folders if str(REPO) not in part)
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=seconds
    )
    if done.returncode:
        raise CheckError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def new_environment(folder: Path, python: str | Path | None = None, seconds: float = 600) -> Path:
    """The folder of programs of a fresh environment of this Python, or of another one."""
    if python is None:
        venv.create(folder, with_pip=True)
    else:
        run(python, "-m", "venv", folder, cwd=folder.parent, seconds=seconds)
    return folder / ("Scripts" if sys.platform == "win32" else "bin")


def install(programs: Path, *archives: str | Path, seconds: float = 600) -> None:
    """Install archives and what they need into an environment."""
    pip = (programs / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, *archives, cwd=programs, seconds=seconds)


def interpreters() -> dict[str, Path | None]:
    """Each Python that pyproject.toml names, such as 3.11, and its interpreter if this machine has one.

    They are looked for on PATH and below pyenv's folder; `PYTHONS`, a list of programs, replaces both.
    """
    classifiers = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["classifiers"]
    versions = [name.split(" :: ")[-1] for name in classifiers if re.search(r"Python :: 3\.\d+$", name)]
    chosen = os.environ.get("PYTHONS", "").split()
    if not chosen:
        folders = os.environ["PATH"].split(os.pathsep)
        folders = [part for part in folders if not Path(part).is_relative_to(REPO)]
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        folders += map(str, sorted(pyenv.glob("versions/*/bin")))
        chosen = [f"{folder}/python{version}" for version in versions for folder in folders]
        chosen += [f"{folder}/python3" for folder in folders]
    found: dict[str, Path | None] = dict.fromkeys(versions)
    # One without venv and ensurepip, such as Debian's without python3-venv, is not used.
    report = "import ensurepip, sys, venv; print(*sys.version_info[:2], sep='.'); print(sys.executable)"
    for program in chosen:
        path = shutil.which(program)
        if not path:
            if os.environ.get("PYTHONS"):
                raise CheckError(f"PYTHONS: {program} is not a program; name interpreters that are there")
            continue
        done = subprocess.run([path, "-c", report], capture_output=True, text=True, check=False)
        version, *executable = done.stdout.splitlines() or [""]  # a shim of pyenv without its Python fails
        if done.returncode == 0 and found.get(version, "") is None:
            found[version] = Path(executable[0])
    return found


def readme_example() -> str:
    """The example of the host package: the first Python block of README.md."""
    found = re.search(r"```python\n(import litemrc\n.*?)```", (REPO / "README.md").read_text(), re.DOTALL)
    if not found:
        raise CheckError("README.md: no Python block begins with `import litemrc`; scripts.release runs it")
    return found[1]


def expect(what: str, holds: object, text: str) -> None:
    """Raise a CheckError with what was printed unless something holds."""
    if not holds:
        raise CheckError(f"{what}: printed\n{text}")


def check_host(programs: Path, cwd: Path, version: str, seconds: float = 600) -> None:
    """The command `litemrc` reports its version, and the curve of two pages in turn."""
    printed = run(programs / "litemrc", "--version", cwd=cwd, seconds=seconds)
    expect(f"litemrc --version is not litemrc {version}", printed == f"litemrc {version}\n", printed)
    (cwd / "trace.txt").write_text(TRACE)
    printed = run(programs / "litemrc", "mrc", "trace.txt", cwd=cwd, seconds=seconds)
    rows = printed.splitlines()
    # 100 accesses, of which every size from two pages on has the two cold misses only: 2 / 100.
    last = rows[-1].split()
    right = rows[0] == "100 accesses, 2 cold misses" and last[0] == "2" and float(last[-1]) == 0.02
    expect("litemrc mrc: two pages in turn have a miss ratio of 0.02 from two pages on", right, printed)


def check_example(programs: Path, cwd: Path, seconds: float = 600) -> str:
    """The README's example runs; returns what it printed: a miss ratio, and a number of pages."""
    (cwd / "example.py").write_text(readme_example())
    printed = run(programs / "python", "example.py", cwd=cwd, seconds=seconds)
    ratio, pages = printed.split()
    expect("README.md's example: no miss ratio and size", 0 < float(ratio) < 1 <= int(pages), printed)
    return printed


def check_studies(programs: Path, cwd: Path, seconds: float = 600) -> None:
    """`litemrc replace` counts the faults of two pages in turn in a memory of one: each of 100 accesses."""
    (cwd / "trace.txt").write_text(TRACE)
    options = ("--memory", "1", "--policy", "lru", "--csv")
    printed = run(programs / "litemrc", "replace", "trace.txt", *options, cwd=cwd, seconds=seconds)
    expect(
        "litemrc replace: not each of 100 accesses is a page fault",
        "100" in printed.splitlines()[1].split(","),
        printed,
    )


def check_gateware(programs: Path, cwd: Path, seconds: float = 600) -> None:
    """A SoC with the monitor has its registers and its window."""
    (cwd / "soc.py").write_text(SOC)
    printed = run(programs / "python", "soc.py", cwd=cwd, seconds=seconds)
    for row in ("csr_base,mrc,", "memory_region,mrc_window,"):
        expect(f"a SoC with add_monitor: no row {row}", row in printed, printed)
