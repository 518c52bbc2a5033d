# SPDX-License-Identifier: BSD-2-Clause
"""Linux of `make linux-ready` in the simulated RTL: one machine from the snapshot for all tests, then off.

Without a snapshot of these images, as in a fresh clone, one boot makes it.
"""

import json
import re
import socket

import pytest
from litemrc.cli.soc.demo_results import check, verdict, with_pages
from litemrc.cli.soc.linux_demo import collect, examine
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.device.simulation.linux_start import LinuxBuild

from bench.linux_profile import EPOCH, read_profile, stacks_of, symbols_of
from tests.linux.qemu import IMAGES, ROOT
from tests.linux.rtl import shell_of
from tests.timeouts import scaled_timeout

BOOT_TIMEOUT_S = 900
COMMAND_TIMEOUT_S = 600
MOST_CLOCKS_TO_INIT = 60_000_000
TICK = 500_000  # cycles, which an idle processor waits

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(not (IMAGES / "images.json").exists(), reason="not built: make linux-ready"),
]


def machine_in(run_dir, **options):
    build = LinuxBuild(ROOT / "build/sim-linux", ROOT / "build/boot/shim.bin", IMAGES)
    return build.simulator(run_dir, boot_timeout_s=scaled_timeout(BOOT_TIMEOUT_S), **options)


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    with machine_in(tmp_path_factory.mktemp("rtl") / "run") as simulator:
        yield simulator


@pytest.fixture(scope="module")
def shell(machine):
    return shell_of(machine, COMMAND_TIMEOUT_S)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def collected(machine, shell, out):
    """Return the daemon's hello and what it sent while two programs ran side by side; pages are in `out`."""
    with Device(machine.url, timeout_s=scaled_timeout(COMMAND_TIMEOUT_S)) as device:
        return device.hello, collect(device, [Run("intr", 1), Run("linear", 2)], out)


def clock_of(machine, pattern):
    """Return the cycle in which the first console line began that fully matches a regular expression."""
    return int(re.search(rf"^(\d+) {pattern}\s*$", machine.clocks.read_text(), re.M)[1])


def test_the_kernel_runs_init_within_60_million_clocks(machine, shell):
    assert 1_000_000 < clock_of(machine, r"\[.*Run /init as init process") < MOST_CLOCKS_TO_INIT


def test_both_uarts_are_there_and_the_processor_is_the_one_simulated(shell):
    """By shell builtins only: starting a program costs millions of cycles."""
    # The daemon's first line may come meanwhile.
    assert "/dev/ttyLXU0 /dev/ttyLXU1" in shell.check("echo /dev/ttyLXU*").splitlines()
    assert re.search(r"isa\s*: rv32ima\b", shell.check("while read -r x; do echo $x; done </proc/cpuinfo"))


def test_time_goes_on_as_the_device_tree_says(machine, shell):
    """A sleep of 0.05 s takes at least 2.5 million cycles."""
    shell.check("echo before; sleep 0.05; echo behind")
    assert clock_of(machine, "behind") - clock_of(machine, "before") >= 0.05 * 50_000_000


def test_a_line_longer_than_what_comes_within_a_tick_arrives_whole(shell):
    text = "".join(chr(ord("a") + i % 26) for i in range(300))
    assert shell.check(f"echo {text}") == text + "\n"


def test_what_is_sent_at_the_baud_rate_of_a_board_stops_no_program(tmp_path):
    """The kernel takes a message of 3,000 bytes at once: its FIFO holds 1,024, and a page the others.

    Then 8,000 more wait for the wire, as only 5,120 fit: together they take at least 5,880 bytes' time.
    """
    baud, first, then, held = 115_200, 3_000, 8_000, 1_024 + 4_096
    cycles_per_byte = 10 * 50_000_000 / baud
    image = (IMAGES / "busybox").read_bytes()
    expected = image[:first] + image[:then]
    with machine_in(tmp_path / "run", link_baud=baud) as board:
        shell = shell_of(board, COMMAND_TIMEOUT_S)
        write = "elapsed busybox dd if=/bin/busybox of={} bs={} count=1 2>&1"
        shell.check("kill -STOP $(pidof litemrcd)")  # it has the port open, and is silent
        shell.check(write.format("/dev/null", then))  # both programs are in memory
        address = board.url.removeprefix("socket://").split(":")
        with socket.create_connection((address[0], int(address[1]))) as host:
            host.settimeout(scaled_timeout(COMMAND_TIMEOUT_S))
            shell.check("echo first")
            took = re.search(r"^(\d+) ns", shell.check(write.format("/dev/ttyLXU1", first)), re.M)[1]
            shell.check(write.format("/dev/ttyLXU1", then))
            shell.check("echo written")
            arrived = b""  # after what the daemon had sent
            while not arrived.endswith(expected):
                arrived += host.recv(4096)
        assert int(took) / 20 < first * cycles_per_byte / 3
        both = clock_of(board, "written") - clock_of(board, "first")
        assert both > (first + then - held) * cycles_per_byte


def test_programs_are_followed_and_named(collected):
    hello, collector = collected
    assert hello.system.startswith("Linux 6.1.")
    assert hello.driver and hello.abi
    csr = json.loads((ROOT / "build/sim-linux/csr.json").read_text())
    assert hello.identifier == csr["constants"]["config_identifier"]
    assert {(p.context, p.comm) for p in collector.table().processes} == {(1, "intr"), (2, "linear")}


def test_epochs_interrupt_the_processor(collected, shell):
    """Each finished epoch raises one interrupt at the VexRiscv's controller."""
    (count,) = re.findall(r"^ *\d+: +(\d+) +VexRiscv .*monitor", shell.check("cat /proc/interrupts"), re.M)
    assert int(count) >= collected[1].epochs > 2


def test_a_profile_has_each_cycle_once_and_the_instructions_and_calls_of_the_kernel(
    machine, collected, shell
):
    """Calls are named by addresses, so the kernel's image says whether these are right."""
    machine.begin_profile()
    shell.check("echo 1 >/sys/class/misc/litemrc0/end_epoch")
    lines, instructions = read_profile(machine.end_profile().read_text())
    nodes = {int(words[0]): int(words[1]) for kind, *words in lines if kind == "node"}
    run = [
        (int(words[0]), int(words[1], 16), int(words[2], 16), int(words[3]))
        for kind, *words in lines
        if kind == "cycles"
    ]
    image = (IMAGES / "Image").read_bytes()
    begin = int(re.search(r"^(\w+) T _start$", (IMAGES / "kernel/System.map").read_text(), re.M)[1], 16)
    kernel = {pc - begin: word for _, pc, word, _ in run if begin <= pc < begin + len(image)}

    assert 0 <= int(lines[0][1]) - sum(count for *_, count in run) <= TICK
    assert (
        all(parent in nodes or not parent for parent in nodes.values())
        and {node for node, *_ in run} <= nodes.keys()
    )
    assert len(kernel) > 1000
    assert all(image[at : at + 4] == word.to_bytes(4, "little") for at, word in kernel.items())
    _, calls = stacks_of(lines, symbols_of(instructions))
    assert calls[EPOCH] in (1, 2)  # this one, and one by its length


def test_poweroff_ends_the_simulation(machine, collected, shell):
    shell.write(b"poweroff\n")
    assert machine.wait(scaled_timeout(COMMAND_TIMEOUT_S)) == 0


def test_counters_and_single_pages_are_those_of_the_golden_models(machine, collected, out, tmp_path):
    """Every access is counted or dropped, each in the context of the followed process."""
    hello, collector = collected
    results = examine(check(tmp_path, machine.record, hello, collector, exact=False, late=True))
    results = with_pages(results, out)
    assert verdict(results) == 0
    assert {"page bitmap", "hot pages"} <= set(results.remarks)
    assert {0, 1, 2} <= set(results.table.contexts_with_data)
    assert results.account.counted > 100_000
