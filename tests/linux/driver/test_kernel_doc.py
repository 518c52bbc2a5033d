# SPDX-License-Identifier: BSD-2-Clause
"""Every function that files of the driver share has a kernel-doc comment, which is complete."""

import re
import subprocess

import pytest

from tests.linux.driver.building import DRIVER, KERNEL

# The sources of a kernel that was built with O=.
KERNEL_DOC = KERNEL / "source" / "scripts" / "kernel-doc"
FOLDERS = [DRIVER, *(DRIVER / name for name in ("ranks", "tail", "tracker"))]
SOURCES = sorted(path for folder in FOLDERS for path in folder.glob("*.[ch]"))
DECLARED = re.compile(r"^(?!typedef|static|extern)[a-z][\w *\n]*?(\w+)\([^;{}]*\);", re.M)
DOCUMENTED = re.compile(r"^/\*\*\n \* (\w+)\(\) - ", re.M)


def complaints(path):
    """Return the warnings and errors, also of what is returned: -Wall, which in 6.1 is a part of -v."""
    strict = "-Wall" if "Wall" in KERNEL_DOC.read_text() else "-v"
    command = [KERNEL_DOC, "-none", strict, path]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return [line for line in said.splitlines() if re.search("warning|error", line, re.I)]


def undocumented(headers, units):
    declared = {name for header in headers for name in DECLARED.findall(re.sub(r"(?s)/\*.*?\*/", "", header))}
    return declared - {name for unit in units for name in DOCUMENTED.findall(unit)}


@pytest.fixture(autouse=True)
def _needs_the_sources():
    if not KERNEL_DOC.exists():
        pytest.skip(f"needs {KERNEL_DOC}: make linux-images")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_kernel_doc_is_content(path):
    assert complaints(path) == []


def test_shared_functions_are_documented():
    headers = [path.read_text() for path in SOURCES if path.suffix == ".h"]
    units = [path.read_text() for path in SOURCES if path.suffix == ".c"]
    assert undocumented(headers, []) > {"litemrc_enable", "litemrc_cgroup_get", "tracker_space_get"}
    assert undocumented(headers, units) == set()


def test_kernel_doc_is_awake(tmp_path):
    unit = tmp_path / "unit.c"
    right = "/**\n * f() - add\n * @a: the first\n * @b: the second\n *\n * Return: the sum\n */\n"
    right += "int f(int a, int b)\n{\n}\n"
    unit.write_text(right)
    assert complaints(unit) == []
    for line in (" * @b: the second\n", " *\n * Return: the sum\n"):
        unit.write_text(right.replace(line, ""))
        assert complaints(unit)
    assert undocumented(["int f(int a, int b);\nint g(void);\n"], [right]) == {"g"}
