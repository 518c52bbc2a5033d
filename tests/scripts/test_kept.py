# SPDX-License-Identifier: BSD-2-Clause
"""What one clone has made, another copies from the cache: scripts/setup/kept.py, in clones of one file."""

import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from scripts.setup.kept import delete_unused
from tests.products import REPO

MAKE = """
import pathlib, sys
folder, runs = map(pathlib.Path, sys.argv[1:])
(folder / "settings.mak").write_text(f"ROOT = {pathlib.Path.cwd()}")
(folder / "tool").write_bytes(b"\\0" + str(pathlib.Path.cwd()).encode())
(folder / "tool").chmod(0o755)
(folder / "part.o").write_text("")
runs.open("a").write("run ")
print("made")
"""


class Clones:
    """Clones of kept.py, of a file that things are made of, and of a script that makes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self.environment = os.environ | {"LITEMRC_CACHE": str(folder / "cache")}

    def clone(self, name: str, packages: str = "") -> Path:
        clone = self.folder / name
        (clone / "scripts" / "setup").mkdir(parents=True)
        shutil.copy(REPO / "scripts" / "setup" / "kept.py", clone / "scripts" / "setup")
        (clone / "pyproject.toml").write_text(f"[dependency-groups]\nsoc = [{packages}]\n")
        (clone / "make.py").write_text(MAKE)
        (clone / "source").write_text("1")
        return clone

    def make(self, clone: Path, *, script: str = "make.py") -> subprocess.CompletedProcess:
        command = [sys.executable, script, "build/sim", self.runs]
        kept = ["scripts/setup/kept.py", "build/sim", "--groups", "soc", "--from", "source", "--leave", "*.o"]
        words = [sys.executable, *kept, "--", *map(str, command)]
        return subprocess.run(
            words, cwd=clone, env=self.environment, capture_output=True, text=True, check=False
        )

    def count(self) -> int:
        return len(self.runs.read_text().split()) if self.runs.exists() else 0

    def archive(self) -> Path:
        (archive,) = (self.folder / "cache").glob("sim-*.tar")
        return archive


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def test_the_second_clone_makes_nothing_and_its_text_names_itself(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    assert clones.make(one).returncode == 0
    done = clones.make(two)
    assert done.returncode == 0 and "build/sim is a copy of" in done.stdout
    assert clones.count() == 1
    made = two / "build" / "sim"
    assert (made / "settings.mak").read_text() == f"ROOT = {two}"
    assert (made / "tool").read_bytes() == (one / "build" / "sim" / "tool").read_bytes()
    assert os.access(made / "tool", os.X_OK)
    assert (made / "build.log").read_text() == "made\n"
    assert not (made / "part.o").exists()
    assert (made / "tool").stat().st_mtime >= (two / "source").stat().st_mtime  # for make


def test_what_it_is_made_of_has_changed(clones: Clones) -> None:
    one = clones.clone("one")
    clones.make(one)
    (one / "source").write_text("2")
    clones.make(one)
    assert clones.count() == 2
    (one / "source").write_text("1")
    clones.make(one)
    assert clones.count() == 2


def test_nothing_of_an_earlier_version_is_kept_or_left(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    for clone in (one, two):
        (clone / "build" / "sim").mkdir(parents=True)
        (clone / "build" / "sim" / "stale").write_text("")
        clones.make(clone)
        assert not (clone / "build" / "sim" / "stale").exists()
    assert clones.count() == 1


def test_a_failure_is_said_and_not_kept(clones: Clones) -> None:
    one = clones.clone("one")
    (one / "fail.py").write_text("print('why'); raise SystemExit(3)")
    done = clones.make(one, script="fail.py")
    assert (done.returncode, done.stderr) == (3, "why\n")
    assert not list((clones.folder / "cache").glob("*.tar"))


def test_a_deleted_and_a_damaged_cache_are_made_again(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    clones.make(one)
    shutil.rmtree(clones.folder / "cache")
    clones.make(one)
    archive = clones.archive()
    archive.write_bytes(archive.read_bytes()[:1000])
    done = clones.make(two)
    assert done.returncode == 0 and "is damaged" in done.stderr
    assert clones.count() == 3
    with tarfile.open(archive) as made:
        assert made.getnames() == ["build.log", "settings.mak", "tool"]


def test_what_an_editable_package_makes_is_not_kept(clones: Clones) -> None:
    package = clones.folder / "packages" / "gate-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: gate\nVersion: 1.0\n")
    clones.environment["PYTHONPATH"] = str(package.parent)
    one = clones.clone("one", '"gate"')
    clones.make(one)
    clones.make(one)
    assert clones.count() == 1
    (package / "direct_url.json").write_text('{"url": "file:///gate", "dir_info": {"editable": true}}')
    done = clones.make(one)
    assert clones.count() == 2 and "not kept, as a package is editable" in done.stdout
    assert len(list((clones.folder / "cache").glob("*.tar"))) == 1


def test_a_package_of_another_version_is_another_input(clones: Clones) -> None:
    clones.environment["PYTHONPATH"] = str(clones.folder / "packages")
    one = clones.clone("one", '"gate"')
    for version in ("1.0", "1.1"):
        package = clones.folder / "packages" / "gate.dist-info"
        package.mkdir(parents=True, exist_ok=True)
        (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gate\nVersion: {version}\n")
        clones.make(one)
    assert clones.count() == 2


def test_what_was_not_used_for_two_months_is_deleted(tmp_path: Path) -> None:
    for name, days in (("old", 61), ("new", 59)):
        (tmp_path / name).write_text("")
        then = time.time() - days * 24 * 3600
        os.utime(tmp_path / name, (then, then))
    (tmp_path / "folder").mkdir()
    delete_unused(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "new"]


def test_python_s_compiled_files_are_no_prerequisite() -> None:
    (REPO / "litex-soc" / "litemrc_soc" / "simulation" / "__pycache__").mkdir(exist_ok=True)
    target = "build/sim/gateware/obj_dir/Vsim"
    asked = ["make", "--dry-run", "--print-data-base", target]
    database = subprocess.run(asked, cwd=REPO, capture_output=True, text=True, check=False).stdout
    rules = [line for line in database.splitlines() if line.startswith(f"{target}:")]
    assert any("litex-soc/litemrc_soc/simulation/compile.py" in rule for rule in rules)
    assert not any("__pycache__" in rule for rule in rules)
