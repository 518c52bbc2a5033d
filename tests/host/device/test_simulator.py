# SPDX-License-Identifier: BSD-2-Clause
"""The simulated SoC as a device; the simulator is a shell script or a fake process under a fake clock."""

import json
import signal
import subprocess
from types import SimpleNamespace

import pytest
from litemrc.device.simulation import simulator
from litemrc.device.simulation.dram_files import DRAMLayout, bank_texts
from litemrc.device.simulation.simulator import Simulator, as_words, set_bootargs
from litemrc.errors import UserError

VSIM = """\
#!/bin/sh
trap 'echo whole > record.npy; exit 0' TERM
echo booting
echo 4321 > link.port
while read line; do
    [ "$line" = end ] && exit 3
    echo "heard $line"
done
"""
FIRMWARE = b"\x13bootargs=        ;\x01"  # 8 blanks
LAYOUT = DRAMLayout(["bank0", "bank1"], word_bytes=4, row_words=2, bytes=64, base=0x4000_0000)
IMAGES = [(0x4000_0000, b"kernel"), (0x4000_0020, b"tree")]
OTHERS = [{"module": "clocker"}, {"module": "tap", "args": {"port": 7}}]


@pytest.fixture
def build(tmp_path):
    """The products of a build, and firmware.bin beside them."""
    build = tmp_path / "build"
    (build / "gateware/obj_dir").mkdir(parents=True)
    (build / "gateware/modules").mkdir()
    (build / "gateware/obj_dir/Vsim").write_text(VSIM)
    (build / "gateware/obj_dir/Vsim").chmod(0o755)
    (build / "gateware/sim_rom.init").write_text("that of the build")
    (build / "gateware/sim_mem.init").write_text("0000002a\n")
    config = [OTHERS[0], {"module": "serial_link", "args": {"port": 9}}, OTHERS[1]]
    (build / "gateware/sim_config.js").write_text(json.dumps(config))
    (build / "dram.json").write_text(json.dumps(vars(LAYOUT)))
    (tmp_path / "firmware.bin").write_bytes(FIRMWARE)
    return build


@pytest.fixture
def build_of_a_module(build):
    """The same, with a DRAM model that is a simulation module."""
    (build / "dram.json").write_text(json.dumps({"module": "ddr3", "bytes": 64, "base": 0x4000_0000}))
    config = json.loads((build / "gateware/sim_config.js").read_text())
    config.append({"module": "ddr3", "args": {"ranks": 4}})
    (build / "gateware/sim_config.js").write_text(json.dumps(config))
    return build


@pytest.fixture
def simulated(build, tmp_path):
    """simulated(**options) -> Simulator in the folder runs/1 of the test's."""
    return lambda **options: Simulator(build, tmp_path / "firmware.bin", tmp_path / "runs/1", **options)


@pytest.fixture
def clock(monkeypatch):
    """A fake clock: `now` seconds, which only sleeping changes."""
    clock = SimpleNamespace(now=0.0)

    def sleep(seconds):
        assert seconds > 0 and clock.now < 100, "waits without end"
        clock.now += seconds

    monkeypatch.setattr(simulator, "time", SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep))
    return clock


@pytest.fixture
def process(monkeypatch):
    """A fake process: `code` is None while it runs; `stubborn`: it does not end when it is asked to."""
    process = SimpleNamespace(code=None, stubborn=False, done=[])

    def wait(timeout=None):
        process.done.append(("wait", timeout))
        if process.stubborn and timeout is not None:
            raise subprocess.TimeoutExpired("Vsim", timeout)

    process.poll, process.wait = lambda: process.code, wait
    process.send_signal = lambda number: process.done.append(("signal", number))
    process.kill = lambda: process.done.append(("kill",))
    monkeypatch.setattr(simulator.subprocess, "Popen", lambda *_, **__: process)
    return process


@pytest.mark.parametrize(("options", "port"), [({}, 0), ({"link_port": 4000}, 4000)])
def test_the_folder_of_a_run_holds_what_the_simulator_reads(simulated, build, tmp_path, options, port):
    made, folder = simulated(bootargs="m=1", **options), tmp_path / "runs/1"
    assert (folder / "modules").resolve() == build / "gateware/modules"
    assert (folder / "sim_mem.init").read_text() == "0000002a\n"
    assert (folder / "sim_rom.init").read_text() == as_words(b"\x13bootargs=m=1     ;\x01")
    link = {"module": "serial_link", "args": {"port": port}}
    assert json.loads((folder / "sim_config.js").read_text()) == [OTHERS[0], link, OTHERS[1]]
    assert not (folder / "bank0").exists()
    names = ("record.npy", "console.log", "console.clocks")
    assert (made.record, made.console, made.clocks) == tuple(folder / name for name in names)
    assert not made.running


def test_a_byte_on_the_link_takes_ten_bits_of_the_baud_rate(simulated, build, tmp_path):
    """At 50 MHz and 115,200 baud: 10 x 50,000,000 / 115,200 = 4,340."""
    (build / "csr.json").write_text('{"constants": {"config_clock_frequency": 50000000}}')
    simulated(link_baud=115_200)
    config = json.loads((tmp_path / "runs/1/sim_config.js").read_text())
    assert config[1]["args"] == {"port": 0, "cycles_per_byte": 4340}


def test_files_of_an_earlier_run_are_replaced(simulated, tmp_path):
    simulated()
    for name in ("record.npy", "link.port"):
        (tmp_path / "runs/1" / name).write_text("old")
    simulated()
    assert not (tmp_path / "runs/1/record.npy").exists() and not (tmp_path / "runs/1/link.port").exists()


def test_images_lie_in_the_files_of_the_banks(simulated, tmp_path):
    (tmp_path / "firmware.bin").write_bytes(b"shim")
    simulated(images=IMAGES)
    for name, text in bank_texts(LAYOUT, IMAGES).items():
        assert (tmp_path / "runs/1" / name).read_text() == text
    assert (tmp_path / "runs/1/sim_rom.init").read_text() == as_words(b"shim")
    with pytest.raises(UserError, match="not an image of LiteMRC's firmware"):
        simulated(images=IMAGES, bootargs="m=1")  # the shim has no place for them
    with pytest.raises(UserError, match="not an image of LiteMRC's firmware"):
        simulated()


@pytest.mark.parametrize(
    ("missing", "images", "remedy"),
    [
        ("build/gateware/obj_dir/Vsim", (), "run: make sim"),
        ("build/gateware/obj_dir/Vsim", IMAGES, "run: make sim-linux"),
        ("firmware.bin", (), "run: make firmware"),
        ("firmware.bin", IMAGES, "run: make shim"),
        ("build/dram.json", IMAGES, "run: make sim-linux"),
    ],
)
def test_what_is_not_built_is_named_with_its_target(simulated, tmp_path, missing, images, remedy):
    (tmp_path / missing).unlink()
    with pytest.raises(UserError) as caught:
        simulated(images=images)
    assert caught.value.remedy == remedy


def test_a_folder_that_cannot_be_written_is_named(simulated, tmp_path):
    (tmp_path / "runs").touch()
    with pytest.raises(UserError, match="cannot write") as caught:
        simulated()
    assert caught.value.where == str(tmp_path / "runs/1")


def test_a_simulator_is_spoken_to_and_leaves_a_complete_record(simulated):
    with simulated() as running:
        assert running.wait_ready() is running and running.running
        assert running.url == "socket://localhost:4321"
        running.type(b"hello\n")
        assert running.wait_console("heard hello", 20) == "booting\nheard hello\n"
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.01)
    assert not running.running
    assert running.record.read_text() == "whole\n"


def test_a_simulator_that_ends_by_itself_has_an_exit_code(simulated):
    with simulated().start() as running:
        running.type(b"end\n")
        assert running.wait(20) == 3
    assert not running.record.exists(), "it was not asked to end"


@pytest.mark.parametrize(("options", "seconds"), [({}, 30), ({"timeout_s": 2}, 2)])
def test_a_link_that_never_listens_is_given_up(simulated, process, clock, options, seconds):
    started = simulated().start()
    (started.run_dir / "link.port").write_text("\n")  # not yet written
    with pytest.raises(UserError, match="did not start"):
        started.wait_ready(**options)
    assert seconds <= clock.now < seconds + 0.1


def test_text_that_never_comes_is_given_up(simulated, process, clock):
    with pytest.raises(UserError, match="never said 'login'"):
        simulated().start().wait_console("login", 2)
    assert 2 <= clock.now < 2.3


def test_an_ended_simulator_is_not_waited_for(simulated, process, clock):
    process.code = 1
    started = simulated().start()
    started.console.write_text("panic")
    with pytest.raises(UserError, match="did not start"):
        started.wait_ready()
    with pytest.raises(UserError, match="never said"):
        started.wait_console("login", 9)
    assert started.wait_console("panic", 9) == "panic"
    started.stop()
    assert (clock.now, process.done) == (0, [])


def test_a_simulator_that_does_not_end_is_killed(simulated, process):
    started = simulated().start()
    started.stop()
    asked = [("signal", signal.SIGTERM), ("wait", 30)]
    assert process.done == asked
    process.stubborn = True
    started.stop()
    assert process.done == 2 * asked + [("kill",), ("wait", None)]


def test_what_was_not_started_cannot_be_waited_for(simulated):
    with pytest.raises(RuntimeError, match="not started"):
        simulated().wait()


def test_boot_arguments_fill_their_place_and_no_more(tmp_path):
    firmware = tmp_path / "firmware.bin"
    firmware.write_bytes(FIRMWARE)
    assert set_bootargs(firmware, "") == FIRMWARE
    assert set_bootargs(firmware, "12345678") == b"\x13bootargs=12345678;\x01"
    assert set_bootargs(firmware, "é") == b"\x13bootargs=?       ;\x01"
    with pytest.raises(UserError, match="longer than 8 bytes"):
        set_bootargs(firmware, "123456789")


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (b"", ""),
        (b"\x01", "00000001\n"),
        (b"\x01\x02\x03\xa4", "a4030201\n"),
        (b"\x01\x02\x03\x04\x05\x06\x07\x08\x09", "04030201\n08070605\n00000009\n"),
    ],
)
def test_words_of_an_image_are_little_endian_and_the_last_is_filled_up(image, words):
    assert as_words(image) == words


def test_a_dram_that_is_a_module_gets_each_image_as_a_file_by_its_offset(build_of_a_module, simulated):
    run_dir = simulated(images=IMAGES).run_dir
    *others, ddr3 = json.loads((run_dir / "sim_config.js").read_text())
    assert [other["module"] for other in others] == ["clocker", "serial_link", "tap"]
    contents = ddr3["args"].pop("contents")
    assert ddr3 == {"module": "ddr3", "args": {"ranks": 4}}
    files = {int(offset): (run_dir / name).read_bytes() for offset, name in contents.items()}
    assert files == {0: b"kernel", 0x20: b"tree"}
    before = json.loads((build_of_a_module / "gateware/sim_config.js").read_text())
    assert "contents" not in before[-1]["args"], "the build is unchanged"


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([(0x4000_003C, b"12345")], "outside the DRAM"),
        ([(0x3FFF_FFFF, b"1")], "outside the DRAM"),
        ([(0x4000_0000, b"12345"), (0x4000_0004, b"1")], "overlap"),
    ],
)
def test_images_that_do_not_fit_a_module_are_refused(build_of_a_module, simulated, images, message):
    with pytest.raises(UserError, match=message):
        simulated(images=images)
