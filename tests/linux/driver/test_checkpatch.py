# SPDX-License-Identifier: BSD-2-Clause
"""The driver follows the kernel's coding style: checkpatch has no finding."""

import subprocess

import pytest

from tests.linux.driver.building import DRIVER
from tests.linux.driver.conftest import KERNEL

# The sources of a kernel that was built with O=.
CHECKPATCH = KERNEL / "source" / "scripts" / "checkpatch.pl"
# Functions that older series lack; macros that declare; and what a header of several series needs.
IGNORED = ["ALLOC_WITH_SIZEOF", "MACRO_ARG_REUSE", "MACRO_ARG_PRECEDENCE"]
IGNORED_IN = {"compat.h": ["LINUX_VERSION_CODE", "CONSTANT_COMPARISON", "NEW_TYPEDEFS", "CONST_STRUCT"]}
SOURCES = sorted(path for path in DRIVER.rglob("*") if path.suffix in (".c", ".h"))


def check(path):
    ignored = ",".join([*IGNORED, *IGNORED_IN.get(path.name, [])])
    command = ["perl", CHECKPATCH, "--no-tree", "--strict", "--max-line-length=80", "--terse", "--no-summary"]
    command += ["--ignore", ignored, "-f", path]
    return subprocess.run(command, capture_output=True, text=True, cwd=path.parent).stdout


@pytest.fixture(autouse=True)
def _needs_the_sources():
    if not CHECKPATCH.exists():
        pytest.skip(f"needs {CHECKPATCH}: make linux-images")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_checkpatch_is_content(path):
    assert check(path) == ""


def test_checkpatch_is_awake(tmp_path):
    ugly = tmp_path / "ugly.c"
    ugly.write_text("int f(int a) { if(a) return 1;\n  return 0; }\n")
    assert "ERROR" in check(ugly)
