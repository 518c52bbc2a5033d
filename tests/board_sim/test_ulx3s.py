# SPDX-License-Identifier: BSD-2-Clause
"""The ULX3S's own SoC in simulation boots Linux from an SD card; its counters are those of the golden model.

`make test-boards` builds what it needs and runs it. `make test` skips it without a build.
Results: build/boards-sim/summary.json, console.log, run/sdram.json, run/sd_card.json.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from litemrc.cli.soc.demo_results import check, verdict
from litemrc.cli.soc.linux_demo import collect, examine
from litemrc.device.bundle import read_boot_files
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.device.simulation.simulator import Simulator
from litemrc.files.fat_image import write_fat_image

from tests.timeouts import Deadline, scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
SIM = ROOT / "build/sim-ulx3s"
OUT = ROOT / "build/boards-sim"
BOOT_S, LINK_S = 3600.0, 900.0
RUNS = (Run("intr", 1), Run("linear", 2))

pytestmark = [
    pytest.mark.soc,
    pytest.mark.timeout(3 * BOOT_S),
    pytest.mark.skipif(not (SIM / "gateware/obj_dir/Vsim").exists(), reason="not built: make test-boards"),
]


@dataclass
class Booted:
    """What was seen of one boot, from reset to poweroff."""

    console: str = ""
    clocks: str = ""  # of each of its lines
    hello: Any = None
    collector: Any = None
    sdram: dict[str, Any] = field(default_factory=dict)
    card: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)


def wait_for(simulator: Simulator, pattern: str, seconds: float) -> None:
    deadline = Deadline(seconds)
    while not re.search(pattern, simulator.console.read_text(errors="replace"), re.M):
        assert simulator.running and not deadline.passed, simulator.console.read_text(errors="replace")[
            -2000:
        ]
        time.sleep(1)


@pytest.fixture(scope="module")
def booted() -> Iterator[Booted]:
    began = time.monotonic()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    seen, card = Booted(), OUT / "sd.img"
    write_fat_image(card, read_boot_files(SIM / "boot"), label="LITEMRC")
    with Simulator(SIM, None, OUT / "run", sd_card=card) as simulator:
        simulator.wait_ready(scaled_timeout(30))
        wait_for(simulator, r"^# litemrcd: serves", BOOT_S)
        with Device(simulator.url, timeout_s=scaled_timeout(LINK_S)) as device:
            seen.hello = device.hello
            seen.collector = collect(device, list(RUNS), OUT)
        simulator.type(b"poweroff\n")
        wait_for(simulator, r"^halted: switch the power off", LINK_S)
        simulator.stop()
        seen.console = simulator.console.read_text(errors="replace")
        seen.clocks = simulator.clocks.read_text(errors="replace")
        seen.sdram = json.loads((simulator.run_dir / "sdram.json").read_text())
        seen.card = json.loads((simulator.run_dir / "sd_card.json").read_text())
        results = examine(check(OUT, simulator.record, seen.hello, seen.collector, exact=False, late=True))
    seen.summary = {
        "board": "ulx3s",
        "bios_memtest": "Memtest OK" in seen.console,
        "shell": bool(re.search(r"^LiteMRC: Linux .* init done", seen.console, re.M)),
        "rules_broken": seen.sdram["device"] + sum(seen.card["broken"].values()),
        "counters_equal": verdict(results) == 0 and results.account.counted > 100_000,
        "cycles": seen.sdram["clocks"],
        "seconds": round(time.monotonic() - began),
    }
    (OUT / "console.log").write_text(seen.console)
    (OUT / "summary.json").write_text(json.dumps(seen.summary, indent=4) + "\n")
    yield seen


def test_the_bios_tests_the_memory_and_boots_from_the_card(booted: Booted) -> None:
    steps = ("Memtest OK", "Booting from SDCard in SPI-Mode", "Copying shim.bin to 0x407f0000", "Liftoff!")
    places = [booted.console.find(step) for step in steps]
    assert -1 not in places and places == sorted(places)


def test_the_board_is_that_of_its_files(booted: Booted) -> None:
    csr = json.loads((SIM / "csr.json").read_text())
    assert booted.hello.identifier == csr["constants"]["config_identifier"]


def test_boot_files_of_another_build_halt(tmp_path: Path) -> None:
    """The card has a shim of a SoC with another digest, and nothing else."""
    identifier = json.loads((SIM / "csr.json").read_text())["constants"]["config_identifier"].encode()
    other = identifier[:-8] + b"0badc0de"
    shim = (SIM / "boot/shim.bin").read_bytes()
    assert shim.count(identifier) == 1
    files = {"boot.json": b'{"shim.bin": "0x407f0000"}', "shim.bin": shim.replace(identifier, other)}
    write_fat_image(tmp_path / "sd.img", files, label="LITEMRC")
    with Simulator(SIM, None, tmp_path / "run", sd_card=tmp_path / "sd.img") as simulator:
        simulator.wait_ready(scaled_timeout(30))
        wait_for(simulator, f"^halted: boot files of {other.decode()} on {identifier.decode()}", BOOT_S)
        simulator.stop()


def test_linux_comes_to_its_prompt_and_serves_the_link(booted: Booted) -> None:
    assert booted.summary["shell"]
    assert booted.hello.system.startswith("Linux 6.1.")


def test_no_rule_of_the_memory_chip_or_the_card_is_broken(booted: Booted) -> None:
    assert {rule for rule in booted.sdram["broken"] if rule != "MR_RESERVED"} == set()
    assert booted.sdram["reserved"] == 1  # LiteDRAM's initialisation: litex-soc/sdr_model/README.md
    assert booted.card["broken"] == {}
    # Software has the DRAM from reset until it is initialised; from then on a refresh each 390 cycles.
    (since,) = re.findall(r"^(\d+) Switching SDRAM to hardware control", booted.clocks, re.M)
    assert booted.sdram["refreshes"] > (booted.sdram["clocks"] - int(since)) / 391


def test_counters_are_those_of_the_golden_model(booted: Booted) -> None:
    assert booted.summary["counters_equal"]


def test_poweroff_halts(booted: Booted) -> None:
    assert booted.console.rstrip().endswith("halted: switch the power off")
