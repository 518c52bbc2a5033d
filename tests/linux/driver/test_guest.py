# SPDX-License-Identifier: BSD-2-Clause
"""A guest whose kernel hangs is reported with the kernel's state, and replaced."""

import pytest

from tests.linux.driver.guest import FAKE, GuestError
from tests.linux.monitor import Symbols


def test_a_kernel_that_hangs_is_described_and_the_next_test_has_another_guest(guests, monitor):
    monitor.timeout_s = 1
    with pytest.raises(GuestError, match=r"silent for \d+ s(?s:.*)pc, 3 times(?s:.*)ksys_write\+0x"):
        monitor.ask(f"w {FAKE}hang 1")
    with pytest.raises(GuestError, match="fell silent before"):
        monitor.do("pid")
    another = guests.running()
    assert another is not monitor
    assert another.do("pid") == [] and another.spawn("child") > 1
    another.end("child")
    assert guests.running() is another


def test_a_guest_that_ends_is_replaced(guests):
    guest = guests.running()
    guest.monitor.command("quit")
    with pytest.raises(GuestError, match="qemu ended with 0"):
        guest.do("pid")
    assert guests.running().ask("pid").result == 1


def test_addresses_are_named_by_the_function_that_they_are_in(tmp_path):
    lines = ["c0001000 T _stext", "c0001000 t first", "c0001100 T second", "c0002000 T _etext"]
    (tmp_path / "System.map").write_text("\n".join(lines) + "\n")
    (tmp_path / "shim.bin").write_bytes(bytes(0x100))
    symbols = Symbols(tmp_path / "System.map", tmp_path / "shim.bin")
    assert symbols.name(0x800000FC) == "shim+0xfc"
    assert symbols.name(0x80000100) == "80000100"
    assert symbols.name(0xC0001104) == "second+0x4"
    assert symbols.name(0xC00010FC) == "first+0xfc"
    assert symbols.name(0xC0002000) == "c0002000"
