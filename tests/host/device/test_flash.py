# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc flash` reports what is missing; the openFPGALoader here is a stand-in.

What it says without a board was written down from openFPGALoader 0.10.0 of Debian 12.
"""

import json
import sys
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.device.programmer import BOARDS

JTAG_ABSENT = """unable to open ftdi device: -3 (device not found)
JTAG init failed with: unable to open ftdi device"""
DFU_ABSENT = "DFU init failed with: No DFU compatible device found"
FORBIDDEN = """unable to open ftdi device: -4 (usb_open() failed)
JTAG init failed with: unable to open ftdi device"""


@pytest.fixture
def loader(tmp_path, monkeypatch):
    """loader(code, said): an openFPGALoader alone on PATH; returns the file that gets its arguments."""

    def put(code: int = 0, said: str = "") -> Path:
        folder, called = tmp_path / "bin", tmp_path / "called"
        folder.mkdir()
        program = folder / "openFPGALoader"
        program.write_text(
            f"#!{sys.executable}\nimport sys\nopen({str(called)!r}, 'w').write(' '.join(sys.argv[1:]))\n"
            f"print({said!r}, file=sys.stderr)\nsys.exit({code})\n"
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        return called

    return put


@pytest.fixture
def bitstream(tmp_path) -> Path:
    file = tmp_path / "litemrc.bit"
    file.write_bytes(b"\xff\x00")
    return file


@pytest.mark.parametrize(
    ("board", "options"),
    [
        ("ulx3s", "-b ulx3s"),
        ("versa_ecp5", "-c ft2232"),
        ("orangecrab", "-b orangeCrab"),
        ("arty", "-b arty_a7_35t"),
    ],
)
def test_each_board_is_loaded_by_its_name_or_cable(board, options, loader, bitstream) -> None:
    called = loader()
    assert main(["flash", "--board", board, "--bitstream", str(bitstream)]) == 0
    assert called.read_text() == f"{options} {bitstream}"


def test_the_fpga_a_bitstream_was_built_for_is_named(loader, bitstream) -> None:
    called = loader()
    (bitstream.parent / "board.json").write_text(json.dumps({"device": "a7-100"}))
    assert main(["flash", "--board", "arty", "--bitstream", str(bitstream)]) == 0
    assert called.read_text() == f"-b arty_a7_100t {bitstream}"


@pytest.mark.parametrize(("board", "flags"), [("ulx3s", "-b ulx3s -f"), ("orangecrab", "-b orangeCrab")])
def test_keep_writes_the_flash_where_that_is_a_choice(board, flags, loader, bitstream) -> None:
    called = loader()
    assert main(["flash", "--board", board, "--permanent", "--bitstream", str(bitstream)]) == 0
    assert called.read_text() == f"{flags} {bitstream}"


@pytest.mark.parametrize(
    ("board", "said", "told", "remedy"),
    [
        ("arty", JTAG_ABSENT, "no arty found", "connect USB to J10"),
        ("orangecrab", DFU_ABSENT, "no orangecrab found", "button held down"),
        ("ulx3s", FORBIDDEN, "may not open the board's USB device", "udev rules"),
        ("ulx3s", "Error: wrong IDCODE", "openFPGALoader failed", "wrong IDCODE"),
    ],
)
def test_without_a_board_it_says_so(board, said, told, remedy, loader, bitstream, capsys) -> None:
    loader(1, said)
    assert main(["flash", "--board", board, "--bitstream", str(bitstream)]) == 2
    error = capsys.readouterr().err
    assert told in error and remedy in error and "Traceback" not in error


def test_without_openfpgaloader_it_says_what_to_install(tmp_path, bitstream, monkeypatch, capsys) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["flash", "--board", "ulx3s", "--bitstream", str(bitstream)]) == 2
    assert "apt-get install openfpgaloader" in capsys.readouterr().err


def test_without_a_bitstream_it_says_what_to_make(loader, tmp_path, monkeypatch, capsys) -> None:
    called = loader()
    monkeypatch.chdir(tmp_path)
    assert main(["flash", "--board", "versa_ecp5"]) == 2
    assert "make versa_ecp5" in capsys.readouterr().err
    assert not called.exists()


def test_boards_are_those_that_are_built() -> None:
    built = {file.stem for file in (Path(__file__).resolve().parents[3] / "docs" / "boards").glob("*.md")}
    pages = {"README", "bundles", "checklist", "linux", "loading"}
    assert {name.partition(":")[0] for name in BOARDS} == built - pages
