"""Runs the robot tests where renode-test is; their expected values come from the gateware's export."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from litemrc_gateware.export import registers
from renode_machine import FIRMWARE, LINUX, MODEL, RANKS_FIRMWARE, REPO, free_port, why_not

CSR = REPO / "build/sim/csr.json"
RANKS_CSR = REPO / "build/sim-ranks/csr.json"
NEEDED = {
    "litemrc.robot": [FIRMWARE, CSR, RANKS_CSR],
    "litemrc_linux.robot": [*LINUX, CSR, RANKS_CSR],
    "litemrc_ranks.robot": [RANKS_FIRMWARE, CSR, RANKS_CSR],
}
# Registers whose value depends on what the machine is built with, checked against the platform instead; and
# those whose write does something else than to be read back.
SOC_DEPENDENT = {"capabilities", "stack_capabilities"}
ACTIONS = {"ev_pending", "control"}


def platform_capabilities() -> dict[str, int]:
    """The two registers, put together from the platform's numbers by the shifts of the exported fields."""
    numbers = {"engine": "engine", "ranks": "ranks", "recent_pages": "recentPages", "page_shift": "pageShift"}
    names = {f"{name}_log2": f"{name}Log2" for name in ("frames", "groups", "contexts", "queue", "pages")}
    text = (REPO / "renode/litemrc.repl").read_text()
    given = dict(
        line.strip().split(": ", 1) for line in text.splitlines() if line.startswith("    ") and ": " in line
    )
    fields = {register.name: register.fields for register in registers()["mrc"]}
    return {
        name: sum(int(given[(numbers | names)[field.name]]) << field.offset for field in fields[name])
        for name in SOC_DEPENDENT
    }


def rank_variables() -> str:
    """The same of the ranks; those of four domains, in a monitor of 256 groups."""
    base, found = json.loads(RANKS_CSR.read_text())["csr_bases"]["ranks"], registers()["ranks"]
    offsets = {register.name: register.offset for register in found}
    built = {"n_mrc": 256, "capabilities": 2 | 0b11111 << 5}
    values = {
        register.name: {
            "address": base + register.offset,
            "reset": built.get(register.name, register.reset),
            "mask": (1 << register.size) - 1,
            "read_only": register.access == "read-only",
        }
        for register in found
    }
    state_low = base + offsets["state"] + 4  # the upper word comes first
    return f"RANKS = {values!r}\nSTATE_LOW = {state_low}\nSLEEP_2_3 = {2 | 3 << 4}\n"


def register_variables() -> str:
    """A file of Robot Framework's variables, in Python."""
    csr = json.loads(CSR.read_text())
    base, window = csr["csr_bases"]["mrc"], csr["memories"]["mrc_window"]["base"]
    capabilities, found = platform_capabilities(), registers()["mrc"]
    status_idle = 1  # nothing is under way in a monitor that nothing was asked of
    values = {
        register.name: {
            "address": base + register.offset,
            "reset": capabilities.get(
                register.name, status_idle if register.name == "status" else register.reset
            ),
            "mask": (1 << register.size) - 1,
            "read_only": register.access == "read-only",
            "testable": register.name not in ACTIONS and register.name != "command",
        }
        for register in found
    }
    bits = {field.name: 1 << field.offset for register in found for field in register.fields}
    by_cycles = bits["enable"] | bits["epoch_unit"]
    return (
        f"MRC = {values!r}\nWINDOW = {window}\nEND_EPOCH = {bits['end_epoch']}\nRELEASE = {bits['release']}\n"
        f"CONTROL_BY_CYCLES = {by_cycles}\n"
    )


@pytest.mark.parametrize("suite", NEEDED)
def test_robot_tests_pass(suite: str, tmp_path: Path) -> None:
    if reason := why_not(MODEL, *NEEDED[suite], program="renode-test"):
        pytest.skip(reason)
    robot = Path(__file__).with_name(suite)
    variables = tmp_path / "registers.py"
    variables.write_text(register_variables() + rank_variables())
    result = subprocess.run(
        [
            *("renode-test", "-r", tmp_path, robot, "--variable", f"REPOSITORY:{REPO}"),
            *("--variable", f"REGISTERS:{variables}", "--variable", f"PORT:{free_port()}"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    results = ElementTree.parse(tmp_path / "robot_output.xml")
    passed = [
        test.get("name") for test in results.iter("test") if test.find("status").get("status") == "PASS"
    ]
    written = robot.read_text().split("*** Test Cases ***\n")[1].splitlines()
    assert passed == [line for line in written if line and not line.startswith(" ")]
