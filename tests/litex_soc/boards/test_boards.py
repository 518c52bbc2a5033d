# SPDX-License-Identifier: BSD-2-Clause
"""Every board's SoC elaborates: all of its DRAM monitored, link and console on the pins of its page."""

import json
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from litemrc.checks.selftest import COUNTS
from litemrc.cli.device.sdcard import BOARDS as SDCARD_BOARDS
from litemrc_gateware.export.registers import registers
from litemrc_soc.boards.board import elaborate
from litemrc_soc.boards.rom_image import move_code, read_words
from litemrc_soc.sim_board import BoardInSimulation

MB = 1 << 20
GENERATE = Path(__file__).parents[3] / "firmware/linux/devicetree/generate.py"
FILES = {"image": "Image", "initramfs": "initramfs", "shim": "shim"}
# DRAM by the boards' data sheets; UART pins, sends and receives, by litex-boards and the headers' pin-outs.
ULX3S = ("ulx3s", 32 * MB, ("L4", "M1"), ("B11", "C11"))
VERSA = ("versa_ecp5", 128 * MB, ("A11", "C11"), ("B19", "B12"))
ORANGECRAB = ("orangecrab", 128 * MB, ("M18", "N17"), ("B10", "B9"))
ARTY = ("arty", 256 * MB, ("D10", "A9"), ("B11", "A11"))
BOARDS = pytest.mark.parametrize(
    ("name", "dram", "link", "console"), [ULX3S, VERSA, ORANGECRAB, ARTY], ids=lambda value: str(value)[:12]
)


def pins_of(folder) -> dict[str, str]:
    """The pin of each top-level port, by the constraints for place and route."""
    lpf, xdc = folder / "litemrc.lpf", folder / "litemrc.xdc"
    if lpf.exists():
        return dict(re.findall(r'LOCATE COMP "([^"]+)" SITE "([^"]+)"', lpf.read_text()))
    return {
        port: pin
        for pin, port in re.findall(r"set_property LOC (\S+) \[get_ports \{(\S+)\}\]", xdc.read_text())
    }


@BOARDS
def test_every_frame_of_the_dram_has_its_place_in_the_engine(name, dram, link, console, elaborated) -> None:
    soc = elaborated(name).soc
    assert soc.bus.regions["main_ram"].size == dram
    assert 2**soc.mrc_tap.frame_bits == dram // 4096
    described = json.loads((elaborated(name).folder.parent / "csr.json").read_text())
    banks = 4 if name == "ulx3s" else 8  # of SDR SDRAM, of DDR3
    groups = 32 if name == "arty" else 64  # of the A7-35T: docs/boards/arty.md
    # Words: contexts x 2 x groups; eight, and eight of each bank.
    assert described["memories"]["mrc_window"]["size"] == 4 * (8 * 2 * groups + 8 + 8 * banks)
    assert described["constants"]["config_clock_frequency"] == elaborated(name).module.BOARD.sys_clk_hz


@BOARDS
def test_the_self_test_knows_what_every_board_counts(name, dram, link, console, elaborated) -> None:
    described = json.loads((elaborated(name).folder.parent / "csr.json").read_text())["constants"]
    fields = {each.name: each for each in registers()["mrc"]}
    found = {}
    for register in ("capabilities", "stack_capabilities"):
        word = described[f"mrc_built_{register}"]
        found |= {f.name: word >> f.offset & ((1 << f.size) - 1) for f in fields[register].fields}
    known = [
        (m["frames"], m["groups"], m["recent_pages"]) for m in json.loads(COUNTS.read_text())["monitors"]
    ]
    assert 1 << found["frames_log2"] == dram // 4096
    assert (dram // 4096, 1 << found["groups_log2"], found["recent_pages"]) in known


@BOARDS
def test_link_and_console_are_where_the_page_says(name, dram, link, console, elaborated) -> None:
    folder = elaborated(name).folder
    ports = {pin: port for port, pin in pins_of(folder).items()}
    verilog = (folder / "litemrc.v").read_text()
    for sends, receives in (link, console):
        assert re.search(rf"^ *output +(wire|reg) +{ports[sends]}\b", verilog, re.MULTILINE)
        assert re.search(rf"^ *input +wire +{ports[receives]}\b", verilog, re.MULTILINE)


@BOARDS
def test_no_pin_is_used_twice(name, dram, link, console, elaborated) -> None:
    assert [pin for pin, uses in Counter(pins_of(elaborated(name).folder).values()).items() if uses > 1] == []


@BOARDS
def test_for_linux_there_is_an_mmu_a_card_if_the_board_has_one_and_a_device_tree(
    name, dram, link, console, elaborated, tmp_path
) -> None:
    built = elaborated(name, "linux")
    csr_file = built.folder.parent / "csr.json"
    csr, board = json.loads(csr_file.read_text()), built.module.BOARD
    assert "config_cpu_variant_linux" in csr["constants"] and "cpu_timer_time" in csr["csr_registers"]
    assert ("spisdcard" in csr["csr_bases"]) == bool(board.sd_card) == (name in SDCARD_BOARDS)
    for part in ("Image", "initramfs", "shim"):
        (tmp_path / part).write_bytes(bytes(1000))
    files = [
        word for part in ("image", "initramfs", "shim") for word in (f"--{part}", tmp_path / FILES[part])
    ]
    subprocess.run([sys.executable, GENERATE, "--csr", csr_file, *files, "--out", tmp_path], check=True)
    source = (tmp_path / "litemrc.dts").read_text()
    assert f"reg = <{0x4000_0000:#x} {dram:#x}>" in source  # the memory
    assert f"timebase-frequency = <{board.sys_clk_hz}>" in source
    boot = json.loads((tmp_path / "boot.json").read_text())
    assert list(boot.items())[-1] == ("shim", "0x407f0000")  # where both readers jump to
    assert "shim@407f0000" in source


@BOARDS
def test_all_rows_of_the_dram_are_refreshed_in_their_time(name, dram, link, console, elaborated) -> None:
    built = elaborated(name)
    described = built.soc.sdram.controller.settings.timing
    assert 8192 * described.tREFI / built.module.BOARD.sys_clk_hz <= 64e-3


def test_the_identifier_is_of_what_software_depends_on(elaborated) -> None:
    """Registers, memories and constants: a SoC for Linux has another, a simulation of the board the same."""
    linux, rom = elaborated("ulx3s", "linux"), elaborated("ulx3s")
    assert re.fullmatch(r"litemrc ulx3s [0-9a-f]{8}", linux.soc.identifier_text)
    assert linux.soc.identifier_text != rom.soc.identifier_text
    simulated = BoardInSimulation()
    simulated.finalize()
    assert simulated.identifier_text == linux.soc.identifier_text
    csr = json.loads((linux.folder.parent / "csr.json").read_text())
    about = json.loads((linux.folder.parent / "board.json").read_text())
    assert csr["constants"]["config_identifier"] == about["identifier"] == linux.soc.identifier_text
    assert linux.soc.identifier.mem.init == [*linux.soc.identifier_text.encode(), 0]
    assert (linux.folder.parent / "litemrc.svd").read_text().startswith("<?xml")


def test_the_firmware_fits_the_smallest_rom(tmp_path) -> None:
    """The Arty's: its FPGA has the fewest block RAMs."""
    module = import_module("litemrc_soc.boards.arty")
    soc = module.SOC()
    elaborate(module.BOARD, soc, tmp_path)
    image = (tmp_path / "firmware/firmware.bin").stat().st_size
    assert 30_000 < image <= soc.variant.rom_bytes


def test_without_the_monitor_there_are_no_registers_of_it() -> None:
    from litemrc_soc.boards.ulx3s import ULX3SSoC

    assert not hasattr(ULX3SSoC(monitor=False), "mrc")
    assert hasattr(ULX3SSoC(), "mrc")


def test_an_exported_engine_comes_with_its_files(tmp_path) -> None:
    from litemrc_soc.boards.ulx3s import ULX3SSoC

    # 8,192 frames, 64 groups, 8 contexts: an operation has 20 bits, a position 12, in whole bytes.
    header = "module bucket_stack (input [23:0] ops_TDATA, output [15:0] positions_TDATA);\nendmodule\n"
    for name, text in (("bucket_stack.v", header), ("bucket_stack_map.dat", "0\n")):
        (tmp_path / name).write_text(text)
    soc = ULX3SSoC(hls_verilog={"bucket_stack": tmp_path})
    sources = {source: bool(copy and copy[0]) for source, _, _, *copy in soc.platform.sources}
    assert sources[str(tmp_path / "bucket_stack.v")] is False
    assert sources[str(tmp_path / "bucket_stack_map.dat")] is True  # beside what reads it
    assert type(soc.mrc.engine).__name__ == "HLSStackEngine"
    assert soc.constants["MRC_HLS"] == "Vitis HLS: bucket_stack"
    with pytest.raises(ValueError, match="has the module group_stack"):
        ULX3SSoC(hls_verilog={"group_stack": tmp_path}, engine="group_stack")
    with pytest.raises(ValueError, match="no HLS unit 'group_stack' in a monitor with bucket_stack"):
        ULX3SSoC(hls_verilog={"group_stack": tmp_path})


def test_an_image_is_words_of_the_rom_and_has_to_fit(tmp_path) -> None:
    image = tmp_path / "firmware.bin"
    image.write_bytes(bytes([0x6F, 0, 0, 0x0B, 1]))
    assert read_words(image, 8) == [0x0B00006F, 1]
    with pytest.raises(ValueError, match="has 5 bytes, the ROM 4"):
        read_words(image, 4)


def test_code_for_a_ram_is_linked_where_the_ram_is(tmp_path) -> None:
    generated = tmp_path / "software/include/generated"
    generated.mkdir(parents=True)
    regions = (
        "MEMORY {\n\trom : ORIGIN = 0x0, LENGTH = 0x10\n\tfirmware_ram : ORIGIN = 0x20, LENGTH = 0x10\n}\n"
    )
    (generated / "regions.ld").write_text(regions)
    moved = move_code(tmp_path, tmp_path / "firmware", "firmware_ram") / "generated/regions.ld"
    assert "\trom : ORIGIN = 0x20," in moved.read_text()
    assert "\tbios_rom : ORIGIN = 0x0," in moved.read_text()
    with pytest.raises(ValueError, match=r"must occur once .*\(found 0\)"):
        move_code(tmp_path, tmp_path / "firmware", "no_such_ram")
