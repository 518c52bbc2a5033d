# SPDX-License-Identifier: BSD-2-Clause
"""Runs each robot file where renode-test is found; what registers must do comes from the gateware."""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from scripts.start_renode import why_not
from tests.mutation import mutated_source
from tests.renode.renode_machine import FIRMWARE, LINUX, MODEL, RANKS_FIRMWARE, REPO, ULX3S, free_port
from tests.timeouts import scaled_timeout

HERE = Path(__file__).parent
VENV = Path(sys.prefix, "bin")
CSR = REPO / "build/sim/csr.json"
# Robot file, script of the machine, and what must be built beside the model.
RUNS = (
    ("registers.robot", "litemrc.resc", [FIRMWARE]),
    ("registers.robot", "litemrc_ranks.resc", [RANKS_FIRMWARE]),
    ("monitor.robot", "litemrc.resc", [FIRMWARE, CSR]),
    ("ranks.robot", "litemrc_ranks.resc", [RANKS_FIRMWARE]),
    ("firmware.robot", "litemrc.resc", [FIRMWARE]),
    ("linux.robot", "litemrc_linux.resc", LINUX),
    ("ulx3s.robot", "litemrc_ulx3s.resc", ULX3S),
)


# Faults seeded into the peripherals: robot file, script, source, a text in it, and what stands there instead.
MONITOR, RANKS, SPI, IDENTIFIER = (
    "LiteMrcMonitor.cs",
    "RankPower.cs",
    "LiteXSpiMaster.cs",
    "LiteXIdentifier.cs",
)
MUTANTS = (
    ("registers.robot", "litemrc.resc", MONITOR, "model?.Reset();", ""),
    ("registers.robot", "litemrc.resc", MONITOR, "1u << queueLog2", "2u"),
    ("registers.robot", "litemrc_ranks.resc", RANKS, "isVirtual, states,", "isVirtual, 15,"),
    (
        "monitor.robot",
        "litemrc.resc",
        MONITOR,
        "            UpdateTime();\n            IRQ.Set(Model.Interrupt);\n",
        "",
    ),
    ("monitor.robot", "litemrc.resc", MONITOR, "clock.Limit = cycles;", "clock.Limit = 2 * cycles;"),
    ("monitor.robot", "litemrc.resc", MONITOR, "Read(window + offset)", "Read(window + offset + 4)"),
    ("ranks.robot", "litemrc_ranks.resc", RANKS, "powerDownExit, selfRefreshExit);", "0, 0);"),
    ("ranks.robot", "litemrc_ranks.resc", MONITOR, "cpu.SyncTime();", ""),
    ("ranks.robot", "litemrc_ranks.resc", MONITOR, "hook.Install(Model.NeedsAccesses);", ""),
    ("ulx3s.robot", "litemrc_ulx3s.resc", SPI, "Transfer((byte)mosi)", "Transfer(0xFF)"),
    ("ulx3s.robot", "litemrc_ulx3s.resc", IDENTIFIER, "offset / 4", "offset / 8"),
)


@pytest.fixture(scope="session")
def renode():
    """Skips where there is no Renode that is new enough."""
    if reason := why_not("renode-test"):
        pytest.skip(reason)


@pytest.fixture(scope="session")
def register_map(tmp_path_factory):
    """The file that register_map.py writes."""
    path = tmp_path_factory.mktemp("registers") / "map.json"
    subprocess.run([sys.executable, "-m", "tests.renode.register_map", path], check=True)
    return path


def renode_test(robot, out, **variables):
    """A finished process, its results in out/robot_output.xml."""
    # renode-test takes the Python that is first on PATH, and packages that our virtual environment has not.
    path = os.environ["PATH"].split(os.pathsep)
    if sys.prefix != sys.base_prefix:
        path = [folder for folder in path if Path(folder) != VENV]
    command = ["renode-test", "-r", out, robot]
    for name, value in variables.items():
        command += ["--variable", f"{name}:{value}"]
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    return subprocess.run(
        command,
        env=environment | {"PATH": os.pathsep.join(path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=scaled_timeout(600),
    )


def passed(out):
    """Names of the tests that passed, in their order."""
    tests = ElementTree.parse(out / "robot_output.xml").iter("test")
    return [test.get("name") for test in tests if test.find("status").get("status") == "PASS"]


def written(robot):
    """Names of the tests that stand in a file."""
    lines = robot.read_text().split("*** Test Cases ***\n")[1].splitlines()
    return [line for line in lines if line and not line.startswith(" ")]


@pytest.mark.parametrize("name, script, needed", RUNS)
def test_every_test_of_the_file_passes(name, script, needed, renode, register_map, tmp_path):
    missing = [str(path.relative_to(REPO)) for path in (MODEL, *needed) if not path.exists()]
    if missing:
        pytest.skip(f"not built: {', '.join(missing)}")
    robot = HERE / name
    variables = {"MAP": register_map, "SCRIPT": script, "LITEMRC": VENV / "litemrc", "PORT": free_port()}
    variables["PATIENCE"] = scaled_timeout(1)
    finished = renode_test(robot, tmp_path, **variables)
    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
    assert passed(tmp_path) == written(robot)


def test_a_register_that_differs_from_the_gateware_is_found(renode, register_map, tmp_path):
    """A seeded fault: the map says that the epoch's length has 31 bits."""
    if not MODEL.exists():
        pytest.skip(f"not built: {MODEL.relative_to(REPO)}")
    wrong = tmp_path / "wrong.json"
    text = register_map.read_text()
    assert '"ones": 4294967295' in text
    wrong.write_text(text.replace('"ones": 4294967295', '"ones": 2147483647'))
    finished = renode_test(HERE / "registers.robot", tmp_path, MAP=wrong)
    assert finished.returncode != 0
    assert "mrc_epoch_length after all ones" in (tmp_path / "robot_output.xml").read_text()
    assert "A Register Keeps The Bits It Has And No Others" not in passed(tmp_path)


@pytest.mark.parametrize("name, script, source, text, fault", MUTANTS)
def test_a_fault_in_a_peripheral_is_found(name, script, source, text, fault, renode, register_map, tmp_path):
    if not MODEL.exists() or not RANKS_FIRMWARE.exists() or not CSR.exists():
        pytest.skip("not built: make models firmware sim-ranks")
    if name == "ulx3s.robot" and not all(path.exists() for path in ULX3S):
        pytest.skip("not built: make renode-ulx3s-ready")
    repository = tmp_path / "mutant"
    shutil.copytree(REPO / "renode", repository / "renode")
    (repository / "build").symlink_to(REPO / "build")
    mutant = repository / "renode/peripherals" / source
    mutant.write_text(mutated_source(mutant, text, fault))
    finished = renode_test(HERE / name, tmp_path, MAP=register_map, SCRIPT=script, REPO=repository)
    assert finished.returncode != 0
    assert passed(tmp_path)  # it compiles, and not everything is broken
    assert passed(tmp_path) != written(HERE / name)


def test_every_robot_file_is_run():
    assert {path.name for path in HERE.glob("*.robot")} == {name for name, *_ in RUNS}
