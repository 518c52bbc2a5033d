# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc sdcard`: what the BIOS could not boot is refused; the image has every file."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.device.bundle import read_boot_files
from litemrc.errors import UserError

FILES = {"Image": bytes(300), "litemrc.dtb": b"dtb", "initramfs.cpio": bytes(5000), "shim.bin": b"shim"}
ADDRESSES = ("0x40000000", "0x40700000", "0x40800000", "0x407f0000")
PLACES = dict(zip(FILES, ADDRESSES, strict=True))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "boot"
    made.mkdir()
    for name, content in FILES.items():
        (made / name).write_bytes(content)
    (made / "boot.json").write_text(json.dumps(PLACES))
    return made


@pytest.mark.skipif(not shutil.which("mcopy"), reason="apt-get install mtools")
def test_the_card_has_every_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = tmp_path / "sd.img"
    assert main(["sdcard", "--board", "ulx3s", "--from", str(folder), "--out", str(image)]) == 0
    said = capsys.readouterr().out
    assert "initramfs.cpio            5,000 bytes" in said and "an SD card for ulx3s" in said
    for name, content in {"boot.json": json.dumps(PLACES).encode(), **FILES}.items():
        command = ["mcopy", "-n", "-i", f"{image}@@1M", f"::{name}", "-"]
        assert subprocess.run(command, capture_output=True, check=True).stdout == content


def test_without_a_build_the_target_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["sdcard", "--board", "ulx3s", "--out", "sd.img"]) == 2
    assert "make BOARD-linux" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_board_without_a_card_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sdcard", "--board", "versa_ecp5", "--out", "sd.img"])
    assert ended.value.code == 2 and "versa_ecp5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ("[]", "is no list of"),
        ("{", "is no list of"),
        (json.dumps({"Image": 5}), "is no list of"),
        (json.dumps({"Image": "kernel"}), "is no list of"),
        (json.dumps({"missing": "0x0"}), "cannot be read"),
        (json.dumps({"../boot/Image": "0x0"}), "without a folder"),
        (json.dumps({"a name of over thirty-one letters": "0x0"}), "31 characters"),
        (json.dumps(PLACES) + " " * 1000, "1,023 bytes"),
        (json.dumps(PLACES | {"shim.bin": "0x40000100"}), "Image ends at 0x4000012c, and shim.bin begins"),
    ],
)
def test_what_the_bios_cannot_boot_is_refused(folder: Path, listed: str, words: str) -> None:
    (folder / "boot.json").write_text(listed)
    with pytest.raises(UserError, match=words):
        read_boot_files(folder)
