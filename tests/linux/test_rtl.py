"""Linux of `make linux-ready` boots in the simulated RTL, once for all tests here, from boot to power off."""

import re

import pytest
from linux.console import Console
from linux.qemu import IMAGES, READY, ROOT
from litemrc.device.linux_images import linux_images
from litemrc.device.recording import read_recording
from litemrc.device.simulator import Simulator

# On a machine that does other things, too. A key typed costs 100,000 clocks, a program started millions.
BOOT_TIMEOUT_S = 900
COMMAND_TIMEOUT_S = 600
MOST_CLOCKS_TO_INIT = 60_000_000

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(not (IMAGES / "images.json").exists(), reason="not built: make linux-ready"),
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    run_dir = tmp_path_factory.mktemp("rtl") / "run"
    shim = ROOT / "build/boot/shim.bin"
    with Simulator(ROOT / "build/sim-linux", shim, run_dir, images=linux_images(IMAGES)) as simulator:
        yield simulator


@pytest.fixture(scope="module")
def shell(machine):
    console = Console(machine.type, machine.console, lambda: machine.running, COMMAND_TIMEOUT_S)
    console.wait_for(READY, BOOT_TIMEOUT_S)
    return console


def clock_of(machine, text):
    """The system clock at which the console line began that has this text."""
    return int(re.search(rf"^(\d+) .*{re.escape(text)}", machine.clocks.read_text(), re.M)[1])


def test_the_kernel_runs_init_within_60_million_clocks(machine, shell):
    assert 1_000_000 < clock_of(machine, "Run /init as init process") < MOST_CLOCKS_TO_INIT


def test_both_uarts_are_there_and_the_processor_is_the_one_simulated(shell):
    assert shell.check("ls /dev/ttyLXU*").split() == ["/dev/ttyLXU0", "/dev/ttyLXU1"]
    assert re.search(r"isa\s*: rv32ima\b", shell.check("cat /proc/cpuinfo"))


def test_time_goes_on_as_the_device_tree_says(machine, shell):
    """A second of sleep is 50 million clocks, and not less."""
    shell.check("echo before; sleep 0.2; echo after")
    assert clock_of(machine, "after") - clock_of(machine, "before") >= 0.2 * 50_000_000


def test_a_line_longer_than_what_comes_within_a_tick_arrives_whole(shell):
    text = "".join(chr(ord("a") + i % 26) for i in range(300))
    assert shell.check(f"echo {text}") == text + "\n"


def test_poweroff_ends_the_simulation_with_its_record_complete(machine, shell):
    shell.write(b"poweroff -f\n")
    assert machine.wait() == 0
    read_recording(machine.record, page_shift=12)
