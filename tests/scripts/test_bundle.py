# SPDX-License-Identifier: BSD-2-Clause
"""A bundle is what `make bundle` copies of a build; the host reads it and refuses what is not of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.device.bundle import Bundle
from litemrc.device.device import Device
from litemrc.device.errors import WrongDeviceError
from litemrc.errors import UserError

from tests.host.scripted_device import ScriptedLink, hello

ROOT = Path(__file__).resolve().parents[2]
IDENTIFIER = "litemrc ulx3s 0123abcd"
BUILT = {
    "litemrc.bit": b"bits",
    "csr.json": b"{}",
    "litemrc.svd": b"<device/>",
    "software/include/generated/csr.h": b"#define CSR",
    "software/bios/bios.bin": b"bios",
    "boot/boot.json": b'{"shim.bin": "0x407f0000"}',
    "boot/shim.bin": b"shim",
    "boot/Image": b"....Linux version 6.1.0-litemrc (builder)",
    "gateware/litemrc.v": b"not of a bundle",
}


@pytest.fixture
def build(tmp_path) -> Path:
    """The folder of a build, with a few bytes in each file."""
    folder = tmp_path / "ulx3s-linux"
    for name, content in BUILT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    about = {"name": "ulx3s", "title": "Radiona ULX3S", "device": "45F", "boot": "linux", "link": "USB"}
    about |= {"console": "J1", "dram": "32 MB", "sd_card": "the slot", "identifier": IDENTIFIER}
    (folder / "board.json").write_text(json.dumps(about))
    return folder


def make_bundle(build: Path, out: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "scripts.boards.bundle", str(build), "--out", str(out)]
    environment = {"PATH": str(Path(sys.executable).parent) + ":/usr/bin:/bin"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture
def bundle(build, tmp_path) -> Path:
    out = tmp_path / "bundles" / "ulx3s-linux"
    done = make_bundle(build, out)
    assert done.returncode == 0, done.stderr
    return out


def test_a_bundle_has_what_loads_the_board_and_what_talks_to_it(bundle) -> None:
    described = json.loads((bundle / "bundle.json").read_text())

    expected = {"litemrc.bit", "csr.json", "litemrc.svd", "csr.h", "bios.bin", "litemrc_regs.h", "README.md"}
    assert set(described["files"]) == expected | {"boot/boot.json", "boot/shim.bin", "boot/Image"}
    assert described["files"]["boot/shim.bin"]["bytes"] == len(BUILT["boot/shim.bin"])
    assert described["versions"]["linux"] == "6.1.0-litemrc"
    assert {"litemrc", "litex", "migen"} <= set(described["versions"])
    checked = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=bundle, capture_output=True, check=False)
    assert checked.returncode == 0, "bundle.json and all that it lists"
    assert bundle.with_suffix(".zip").exists()


def test_its_readme_says_what_to_type_and_what_the_console_says(bundle) -> None:
    text = (bundle / "README.md").read_text()
    for part in (
        IDENTIFIER,
        "litemrc flash --bundle",
        "litemrc sdcard --bundle",
        "Memtest OK",
        "J1",
        "`boot/Image`",
    ):
        assert part in text
    assert "There is no bitstream" not in text and "$" not in text


def test_the_host_reads_it(bundle) -> None:
    found = Bundle.read(bundle)
    assert (found.board, found.device, found.identifier) == ("ulx3s", "45F", IDENTIFIER)
    assert found.bitstream().read_bytes() == b"bits"
    assert found.boot_files() == bundle / "boot"


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda folder: (folder / "litemrc.bit").write_bytes(b"bitz"), "differs from its checksum"),
        (lambda folder: (folder / "csr.json").unlink(), "cannot be read"),
        (lambda folder: (folder / "bundle.json").write_text("{}"), "is no description of a bundle"),
        (lambda folder: (folder / "bundle.json").write_text('{"format": 2}'), "format 2 of bundles"),
    ],
)
def test_a_bundle_that_was_harmed_is_refused(bundle, harm, told) -> None:
    harm(bundle)
    with pytest.raises(UserError, match=told):
        Bundle.read(bundle)


@pytest.mark.parametrize("identifier", ["litemrc ulx3s 99999999", ""])
def test_a_board_with_another_identifier_is_refused(bundle, identifier) -> None:
    link = ScriptedLink(hello=lambda: hello(identifier=identifier))
    with pytest.raises(WrongDeviceError, match=f"the bundle is of '{IDENTIFIER}'"):
        Device(link, identifier=Bundle.read(bundle).identifier)


def test_the_bundles_own_board_is_not(bundle) -> None:
    link = ScriptedLink(hello=lambda: hello(identifier=IDENTIFIER))
    assert Device(link, identifier=Bundle.read(bundle).identifier).hello.identifier == IDENTIFIER


def test_an_sd_card_is_made_of_a_bundle(bundle, tmp_path, capsys) -> None:
    assert main(["sdcard", "--bundle", str(bundle), "--out", str(tmp_path / "sd.img")]) == 0
    assert "an SD card for ulx3s" in capsys.readouterr().out


def test_without_a_bitstream_the_bundle_says_so(build, tmp_path) -> None:
    (build / "litemrc.bit").unlink()
    out = tmp_path / "out"
    done = make_bundle(build, out)
    assert done.returncode == 0 and "no bitstream" in done.stderr
    assert "There is no bitstream" in (out / "README.md").read_text()
    with pytest.raises(UserError, match="the bundle has no bitstream"):
        Bundle.read(out).bitstream()


def test_a_folder_that_is_no_build_is_refused(tmp_path) -> None:
    done = make_bundle(tmp_path, tmp_path / "out")
    assert done.returncode == 2 and "not the build of a board" in done.stderr
