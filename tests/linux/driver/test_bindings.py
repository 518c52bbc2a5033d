# SPDX-License-Identifier: BSD-2-Clause
"""The bindings are valid schemas, their examples conform, and trees that do not conform are found."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.linux.driver.building import DRIVER

pytest.importorskip("dtschema", reason="dtschema of the extra linux")
BINDINGS = DRIVER / "bindings"
TOOLS = Path(sys.executable).parent
MONITOR = "misc/litex,litemrc-monitor-5.yaml"
RANKS = "misc/litex,litemrc-ranks-1.yaml"
REF_COUNTERS = "misc/litex,litemrc-reference-counters-1.yaml"
ARRAY = "interrupt-controller/litex,vexriscv-intc.yaml"


def run(tool, *words):
    """Return the output of a tool of dtschema, which may exit with 0 in spite of findings."""
    done = subprocess.run([TOOLS / tool, *words], capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    processed = tmp_path_factory.mktemp("schemas") / "processed.json"
    assert run("dt-mk-schema", "-o", processed, BINDINGS) == ""
    return processed


def complaints(schemas, folder, source):
    """Return the output of dt-validate for a device tree."""
    tree = folder / "tree.dtb"
    command = ["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", tree]
    subprocess.run(command, input=source, text=True, check=True)
    return [line for line in run("dt-validate", "-s", schemas, tree).splitlines() if "litex," in line]


def test_bindings_are_schemas():
    assert run("dt-doc-validate", "-u", BINDINGS, BINDINGS) == ""


@pytest.mark.parametrize("name", [MONITOR, RANKS, REF_COUNTERS, ARRAY])
def test_examples_obey(schemas, tmp_path, name):
    assert complaints(schemas, tmp_path, run("dt-extract-example", BINDINGS / name)) == []


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        (MONITOR, "litex,memory = <&memory>;", ""),
        (MONITOR, "interrupts = <2>;", "interrupts = <2>, <3>;"),
        (MONITOR, "<0xf0003000 0x58>, <0xb0000000 0x1000>", "<0xf0003000 0x58>"),
        (MONITOR, "litex,memory =", "litex,colour = <1>; litex,memory ="),
        (RANKS, "litex,memory = <&memory>;", ""),
        (RANKS, 'litex,dram-part = "mt41k64m16"', "litex,dram-part = <1>"),
        (REF_COUNTERS, "interrupts = <4>;", ""),
        (ARRAY, "#interrupt-cells = <1>", "#interrupt-cells = <2>"),
        (ARRAY, "interrupts-extended = <&cpu0_intc 9>;", ""),
    ],
)
def test_what_breaks_a_binding_is_found(schemas, tmp_path, name, right, wrong):
    example = run("dt-extract-example", BINDINGS / name)
    assert right in example
    assert complaints(schemas, tmp_path, example.replace(right, wrong))
