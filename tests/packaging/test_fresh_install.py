# SPDX-License-Identifier: BSD-2-Clause
"""Both distributions install from their sdists into fresh environments and work outside the repository."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from tests.products import REPO
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.packaging

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


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints, run without the variables that lead into the repository.

    Raises
    ------
    AssertionError
        if it fails.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))
    }
    environment["PATH"] = ":".join(part for part in os.environ["PATH"].split(":") if str(REPO) not in part)
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=scaled_timeout(600),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def sdist(project: Path, backend: str, folder: Path) -> Path:
    """The sdist of a project, made by its own build backend."""
    code = f"import sys, {backend} as backend; backend.build_sdist(sys.argv[1])"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", code, folder], cwd=project, check=True, capture_output=True)
    return next(folder.glob("*.tar.gz"))


def installed(folder: Path, *archives: Path) -> Path:
    """The folder of programs of a fresh environment with sdists installed, with build isolation."""
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "pip", "--disable-pip-version-check", "install", "--quiet", *archives, cwd=folder)
    return folder / "bin"


def test_the_host_package_needs_only_a_compiler(tmp_path: Path) -> None:
    archive = sdist(REPO, "scikit_build_core.build", tmp_path / "sdist")
    with tarfile.open(archive) as files:
        folders = {name.split("/")[1] for name in files.getnames()}
    assert folders == {
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "firmware",
        "hls",
        "host",
        "models",
        "pyproject.toml",
    }
    programs = installed(tmp_path / "venv", archive)
    litemrc = programs / "litemrc"
    assert run(litemrc, "--version", cwd=tmp_path) == "litemrc 0.1.0\n"
    # Two pages in turn: every size from two pages on has the two cold misses only.
    (tmp_path / "trace.txt").write_text("0x1000\n0x2000\n" * 50)
    rows = run(litemrc, "mrc", "trace.txt", cwd=tmp_path).splitlines()
    assert rows[0] == "100 accesses, 2 cold misses"
    assert rows[-1].split()[0] == "2" and float(rows[-1].split()[-1]) == 0.02
    epochs = run(litemrc, "hot", "trace.txt", cwd=tmp_path).splitlines()
    assert "4096:50 8192:50" in epochs[1]
    if shutil.which("qemu-x86_64"):  # Debian's qemu-user
        assert "cold misses" in run(litemrc, "qemu", "--", "true", cwd=tmp_path)
    assert "litemrc" in run(
        programs / "python", "-c", "import litemrc; print(litemrc.__name__)", cwd=tmp_path
    )
    refused = subprocess.run([litemrc, "simulate", "mm", "x"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "litemrc-studies, which is not installed" in refused.stderr and "./host" in refused.stderr
    page = "import litemrc; print(litemrc.__path__[0] + '/serve/page')"
    installed_page = Path(run(programs / "python", "-c", page, cwd=tmp_path).strip())
    for file in (REPO / "host/litemrc/serve/page").iterdir():
        assert (installed_page / file.name).read_bytes() == file.read_bytes()
    absent = [litemrc, "mrc", "trace.txt", "--plot", "curve.png"]
    failed = subprocess.run(absent, cwd=tmp_path, capture_output=True, text=True)
    assert failed.returncode == 2
    assert "litemrc[plot] is not installed" in failed.stderr
    assert "pip install '.[plot]'" in failed.stderr


def test_the_studies_add_their_commands_to_the_host_package(tmp_path: Path) -> None:
    host = sdist(REPO, "scikit_build_core.build", tmp_path / "host")
    studies = sdist(REPO / "host", "scikit_build_core.build", tmp_path / "studies")
    with tarfile.open(studies) as files:
        folders = {name.split("/")[1] for name in files.getnames()}
    assert folders == {"LICENSE", "PKG-INFO", "litemrc", "litemrc_studies", "pyproject.toml"}
    litemrc = installed(tmp_path / "venv", host, studies) / "litemrc"
    assert "apache_gcc" in run(litemrc, "simulate", "mm", "--list", cwd=tmp_path)
    (tmp_path / "trace.txt").write_text("0x1000\n0x2000\n" * 50)
    # Two pages in turn in a memory of one: each of 100 references is a page fault.
    faults = run(litemrc, "replace", "trace.txt", "--memory", "1", "--policy", "lru", "--csv", cwd=tmp_path)
    assert "100" in faults.splitlines()[1].split(",")
    run(litemrc, "demo", "linux-govern", "--help", cwd=tmp_path)


def test_the_gateware_needs_only_litex(tmp_path: Path) -> None:
    archive = sdist(REPO / "litex-soc", "setuptools.build_meta", tmp_path / "sdist")
    programs = installed(tmp_path / "venv", archive)
    (tmp_path / "soc.py").write_text(SOC)
    registers = run(programs / "python", "soc.py", cwd=tmp_path)
    assert "csr_base,mrc," in registers
    assert "memory_region,mrc_window," in registers
