# SPDX-License-Identifier: BSD-2-Clause
"""Seeded faults of the daemon (mutants.csv); the test named with each must find it."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation import mutated_source
from tests.products import alone_in, make

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
MUTANTS = ROOT / "build" / "daemon-mutants"

with (HERE / "mutants.csv").open(newline="") as table:
    SEEDED = {row["name"]: row for row in csv.DictReader(table)}


def build(name: str, built: Path) -> Path:
    """Build the daemon with that fault: one file is recompiled, the others are those of the other tests."""
    file = SEEDED[name]["source"]
    folder = MUTANTS / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = folder / Path(file).name
    source.write_text(mutated_source(ROOT / "firmware" / file, SEEDED[name]["old"], SEEDED[name]["new"]))
    commands = make(HERE, "-n", "-B", f"OUT={built}").splitlines()
    original = str(built / file.removeprefix("daemon/").replace(".c", ".o"))
    target = str(source.with_suffix(".o"))
    (compile_it,) = (line for line in commands if line.endswith(f"-o {original}"))
    (link_it,) = (line for line in commands if line.endswith(f"-o {built / 'litemrcd'}"))
    compile_it = compile_it.replace(f"{ROOT}/firmware/{file}", str(source)).replace(original, target)
    link_it = link_it.replace(original, target).replace(f"-o {built}/", f"-o {folder}/")
    for command in (compile_it, link_it):
        subprocess.run(command, shell=True, check=True, cwd=HERE)
    return folder / "litemrcd"


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_fault_is_found(litemrcd, name):
    with alone_in(MUTANTS):
        mutant = build(name, litemrcd.parent)
    test = ["-q", "-x", "-p", "no:cacheprovider", str(HERE / SEEDED[name]["found by"])]
    run = [sys.executable, "-m", "pytest", *test]
    environment = {**os.environ, "LITEMRCD": str(mutant), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(run, capture_output=True, text=True, env=environment, cwd=ROOT)

    assert done.returncode == 1, done.stdout
    assert "AssertionError" in done.stdout or "Failed" in done.stdout
