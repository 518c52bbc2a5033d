# SPDX-License-Identifier: BSD-2-Clause
"""The console of the tests reports results of commands, and a command that does not end in time."""

import pytest

from tests.linux.conftest import Machine
from tests.linux.console import ConsoleError


def test_status_and_output_of_a_command_are_its_own(linux):
    assert linux.run("printf 'no line feed'; false") == (1, "no line feed")
    assert linux.run("echo \"it's\" '$HOME'") == (0, "it's $HOME\n")
    assert linux.run("seq 1 500") == (0, "".join(f"{i}\n" for i in range(1, 501)))
    assert linux.run("sleep 0 &")[0] == 0
    assert linux.run("if true")[0] != 0
    assert linux.run("(exit 77)") == (77, "")


def test_check_shows_what_a_failed_command_printed(linux):
    with pytest.raises(ConsoleError, match=r"ended with 3:\nsorry"):
        linux.check("echo sorry; (exit 3)")


def test_a_command_that_does_not_end_is_a_timeout(linux):
    with pytest.raises(ConsoleError, match="timeout"):
        linux.run("sleep 1000", timeout_s=0.5)
    linux.write(b"\x03")
    assert linux.run("echo still there") == (0, "still there\n")


def test_a_line_longer_than_the_shell_reads_is_refused(linux):
    with pytest.raises(ValueError, match="more than the shell reads"):
        linux.run("echo " + 1024 * "x")


def test_a_machine_whose_processor_stands_is_described_and_replaced(images, tmp_path_factory):
    machine = Machine(lambda: tmp_path_factory.mktemp("silent"))
    console = machine.shell()
    assert machine.shell() is console
    with pytest.raises(ConsoleError, match="timeout"):
        console.run("sleep 1000", timeout_s=0.5)
    assert machine.shell() is console  # it ends the command that did not
    console.timeout_s = 0.5
    machine._qemu.monitor.command("stop")
    with pytest.raises(ConsoleError, match=r"timeout(?s:.*)pc, 3 times: \w+\+0x"):
        console.run("true")
    other = machine.shell()
    assert other is not console and other.run("echo here") == (0, "here\n")
    machine.end()
