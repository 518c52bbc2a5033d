# SPDX-License-Identifier: BSD-2-Clause
"""The images of Linux are those that its device tree was made for, or none."""

import json

import pytest
from litemrc.device.simulation.linux_start import linux_images
from litemrc.errors import UserError

LISTED = [
    {"file": "Image", "address": 0x4000_0000, "bytes": 3},
    {"file": "initramfs.cpio", "address": 0x4080_0000, "bytes": 2},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Image").write_bytes(b"abc")
    (tmp_path / "initramfs.cpio").write_bytes(b"de")
    (tmp_path / "images.json").write_text(json.dumps(LISTED))
    return tmp_path


def test_images_come_with_their_addresses(folder):
    assert linux_images(folder) == [(0x4000_0000, b"abc"), (0x4080_0000, b"de")]


def test_an_image_made_anew_wants_a_new_device_tree(folder):
    (folder / "initramfs.cpio").write_bytes(b"def")
    with pytest.raises(UserError, match="has 3 bytes, and 2 when the device tree was made") as raised:
        linux_images(folder)
    assert "make linux-ready" in str(raised.value)


@pytest.mark.parametrize("listed", ["", "[1]", '[{"file": "Image"}]'])
def test_a_list_that_is_none_is_refused(folder, listed):
    (folder / "images.json").write_text(listed)
    with pytest.raises(UserError, match="not a list of images"):
        linux_images(folder)


def test_an_image_that_is_missing_is_named(folder):
    (folder / "Image").unlink()
    with pytest.raises(UserError, match="Linux is not built") as raised:
        linux_images(folder)
    assert str(folder / "Image") in str(raised.value)
