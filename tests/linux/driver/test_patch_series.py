# SPDX-License-Identifier: BSD-2-Clause
"""The driver as a series of patches: it applies to a kernel's source, and checkpatch finds no error in it."""

import shutil
import subprocess
import sys

import pytest

from tests.linux.driver.building import DRIVER, KERNEL, ROOT

SCRIPT = ROOT / "firmware/linux/patch_series.py"
FAULT = ROOT / "firmware/linux/fault-tracepoint.patch"
SOURCE = KERNEL / "source"
CHANGED = ("drivers/misc/Kconfig", "drivers/misc/Makefile", "MAINTAINERS")
HERE_ONLY = {"vexriscv_intc.c", "evacuate.c", "governor.c"}


def run(*words, **options):
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The files of a kernel that the series changes, without our patches."""
    if not (SOURCE / "MAINTAINERS").exists():
        pytest.skip(f"needs {SOURCE}: make linux-images")
    tree = tmp_path_factory.mktemp("plain")
    touched = [line[6:] for line in FAULT.read_text().splitlines() if line.startswith("+++ b/")]
    for name in (*CHANGED, *touched):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, tree / name)
    run("patch", "-R", "-s", "-p1", "--no-backup-if-mismatch", "-i", FAULT, cwd=tree)
    return tree


@pytest.fixture(scope="module")
def series(plain, tmp_path_factory):
    out = tmp_path_factory.mktemp("series")
    run(sys.executable, SCRIPT, plain, out, "--series", "6.1")
    return sorted(out.iterdir())


def test_the_series_applies_and_has_all_files(plain, series, tmp_path):
    cover, *patches = series
    assert "*** " not in cover.read_text()
    tree = shutil.copytree(plain, tmp_path / "tree")
    for patch in patches:
        run("patch", "-s", "-p1", "-i", patch, cwd=tree)
    made = tree / "drivers/misc/litemrc"
    folders = [DRIVER, *(DRIVER / name for name in ("tail", "ranks", "tracker"))]
    files = {file.relative_to(DRIVER) for folder in folders for file in folder.glob("*.[ch]")}
    assert {file for file in files if file.name not in HERE_ONLY} == {
        file.relative_to(made) for file in made.rglob("*.[ch]") if file.name != "litemrc_regs.h"
    }
    assert "KERNEL_VERSION" not in "".join(file.read_text() for file in made.rglob("*.[ch]"))
    options = (made / "Kconfig").read_text()
    for name in ("LITEMRC", "LITEMRC_TAIL", "LITEMRC_RANKS", "LITEMRC_OS"):
        assert f"config {name}\n" in options
        assert any(f"obj-$(CONFIG_{name})" in file.read_text() for file in made.rglob("Makefile"))


def test_the_files_of_sysfs_are_described(plain, series):
    text = "".join(patch.read_text() for patch in series)
    for name in ("enable", "epoch_unit", "contexts/N/pid", "parameters/", "hot/queue_first", "ranks/N/state"):
        assert f"+What:\t\t/sys/class/misc/litemrcN/{name}" in text, name


def test_checkpatch_finds_no_error(series):
    """Line lengths and the like are test_checkpatch.py's; the registers' header is generated."""
    command = ["perl", SOURCE / "scripts/checkpatch.pl", "--no-tree", "--terse", "--no-summary"]
    command += ["--ignore", "BRACKET_SPACE"]
    for patch in series[1:]:
        found = subprocess.run([*map(str, command), patch], capture_output=True, text=True).stdout
        assert "ERROR" not in found, found


def test_a_source_that_has_the_tracepoint_is_refused(plain, tmp_path):
    tree = shutil.copytree(plain, tmp_path / "tree")
    (tree / "include/trace/events").mkdir(parents=True, exist_ok=True)
    (tree / "include/trace/events/mm_fault.h").touch()
    words = [sys.executable, SCRIPT, tree, tmp_path / "out"]
    refused = subprocess.run(words, capture_output=True, text=True)
    assert refused.returncode == 2 and "unpatched" in refused.stderr
    assert not (tmp_path / "out").exists()
