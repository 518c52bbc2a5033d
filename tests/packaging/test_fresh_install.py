# SPDX-License-Identifier: BSD-2-Clause
"""Both distributions install from their sdists into fresh environments and work outside the repository."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from scripts.release import environments
from tests.products import REPO
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.packaging


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints, outside the repository."""
    return environments.run(*command, cwd=cwd, seconds=scaled_timeout(600))


def sdist(project: Path, backend: str, folder: Path) -> Path:
    """The sdist of a project, made by its own build backend."""
    code = f"import sys, {backend} as backend; backend.build_sdist(sys.argv[1])"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", code, folder], cwd=project, check=True, capture_output=True)
    return next(folder.glob("*.tar.gz"))


def installed(folder: Path, *archives: Path) -> Path:
    """The folder of programs of a fresh environment with sdists installed, with build isolation."""
    programs = environments.new_environment(folder)
    environments.install(programs, *archives, seconds=scaled_timeout(600))
    return programs


def test_the_host_package_needs_only_a_compiler(tmp_path: Path) -> None:
    archive = sdist(REPO, "scikit_build_core.build", tmp_path / "sdist")
    with tarfile.open(archive) as files:
        folders = {name.split("/")[1] for name in files.getnames()}
    assert folders == {
        "CITATION.cff",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "VERSION",
        "firmware",
        "hls",
        "host",
        "models",
        "pyproject.toml",
        "scripts",
    }
    programs = installed(tmp_path / "venv", archive)
    litemrc = programs / "litemrc"
    environments.check_host(programs, tmp_path, environments.VERSION, scaled_timeout(600))
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
    assert folders == {"LICENSE", "PKG-INFO", "VERSION", "litemrc", "litemrc_studies", "pyproject.toml"}
    litemrc = installed(tmp_path / "venv", host, studies) / "litemrc"
    assert "apache_gcc" in run(litemrc, "simulate", "mm", "--list", cwd=tmp_path)
    environments.check_studies(litemrc.parent, tmp_path, scaled_timeout(600))
    run(litemrc, "demo", "linux-govern", "--help", cwd=tmp_path)


def test_the_gateware_needs_only_litex(tmp_path: Path) -> None:
    archive = sdist(REPO / "litex-soc", "setuptools.build_meta", tmp_path / "sdist")
    programs = installed(tmp_path / "venv", archive)
    environments.check_gateware(programs, tmp_path, scaled_timeout(600))
