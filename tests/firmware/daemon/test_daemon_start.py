# SPDX-License-Identifier: BSD-2-Clause
"""What the daemon refuses at its start, with remedies; and errors in the list of programs, by line."""

import os

import pytest

from tests.firmware.daemon.fake_driver import CLOCK_HZ, SETTINGS
from tests.firmware.daemon.serving import arguments_of
from tests.timeouts import wait_until

ROOT = os.geteuid() == 0


def test_help_is_help(run):
    status, _, said = run(arguments=["--help"])

    assert status == 0
    assert "--cgroup PATH" in said


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--colour"], "--colour"),
        (["--baud", "115201"], "--baud 115201: not a speed of a serial port"),
        (["--baud", "fast"], "--baud fast: not a number"),
        (["--clock-hz", "0"], "--clock-hz 0: not a number"),
        (["--clock-hz", "4294967296"], "not a number from 1 to 4294967295"),
        (["--context", "-1"], "--context -1: not a number"),
        (["--tty"], "requires an argument"),
        (["--socket-mode", "888"], "--socket-mode 888: not an octal number from 0 to 0777"),
        (["--socket-mode", "1777"], "--socket-mode 1777: not an octal number"),
        (["--socket-mode", "-6"], "--socket-mode -6: not an octal number"),
        (["--socket-group", "users"], "--socket-group users: there is no socket"),
        (["serve"], "serve: not an option"),
        (["run"], "run: no command"),
        (["run", "--context", "1"], "run: no command"),
    ],
)
def test_a_bad_option_is_named_with_a_remedy(refused, arguments, what):
    said = refused(arguments=arguments)
    assert what in said
    assert len(said.splitlines()) == 2, "what is wrong, and what to do"


@pytest.mark.parametrize(
    ("option", "what"),
    [
        ("--tty=/dev/null", "/dev/null: Inappropriate ioctl"),
        ("--tty=/dev/absent", "/dev/absent: No such file"),
        ("--config=/absent.conf", "/absent.conf: No such file"),
        ("--sysfs=/absent", "/absent: No such file"),
    ],
)
def test_what_is_not_there_is_named(refused, option, what):
    assert what in refused(option)


@pytest.mark.skipif(not ROOT, reason="for root only")
@pytest.mark.parametrize(
    ("option", "what"),
    [
        ("--user=root", "--user root is root"),
        ("--user=0:5", "--user 0:5 is root"),
        ("--user=5:0", "--user 5:0 is root"),
        ("--user=nobodyatall", "no such user"),
        ("--program-user=root", "--program-user root is root"),
        ("--program-user=nobodyatall", "no such user"),
        ("--program-user=65534:65533", "--program-user 65534:65533 is the daemon's user, too"),
    ],
)
def test_it_does_not_stay_root_and_programs_have_a_user_of_their_own(refused, option, what):
    assert what in refused(option)


@pytest.mark.skipif(not ROOT, reason="for root only")
def test_root_names_a_user_for_the_programs(refused, driver, folder):
    arguments = arguments_of(driver, "/dev/null", folder / "litemrcd.conf")
    arguments = [argument for argument in arguments if not argument.startswith("--program-user")]
    assert "would run as the daemon's user" in refused(config="quick = /bin/true\n", arguments=arguments)


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("abi", "1\n", f"abi: not version {SETTINGS['abi']}"),
        ("parameters/page_shift", "12 bits\n", "parameters/page_shift: no valid number"),
        ("engine", "steam\n", "'steam' is unknown"),
    ],
)
def test_another_driver_is_none_of_ours(refused, driver, file, text, what):
    (driver.monitor / file).write_text(text)
    assert what in refused(status=1)


@pytest.mark.parametrize(
    ("name", "value"), [("groups", 257), ("groups", 0), ("contexts", 257), ("frames", 2**32)]
)
def test_parameters_beyond_the_link_are_refused(refused, driver, name, value):
    (driver.monitor / "parameters" / name).write_text(f"{value}\n")
    assert f"parameters/{name}: no valid number" in refused(status=1)


def test_without_a_driver_it_says_so(refused, driver):
    (driver.monitor / "abi").unlink()
    assert "load the driver" in refused(status=1)


def test_without_a_clock_it_asks_for_one(refused, driver):
    (driver.sysfs / "firmware/devicetree/base/cpus/cpu@0/clock-frequency").write_bytes(b"")
    assert "--clock-hz" in refused()


def test_a_clock_named_goes_before_the_device_trees(start_daemon):
    with start_daemon("--clock-hz=1234567").host() as device:
        assert device.hello.clock_hz == 1234567 != CLOCK_HZ


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("sort", "no = after the name"),
        ("= /bin/true", "a name consists of letters"),
        ("so.rt = /bin/true", "no = after the name"),
        ("abcdefghijklmnopq = /bin/true", "longer than 16"),
        ("ok = /bin/true", "a program above has this name"),
        ("sort = true", "must be a path that begins with /"),
        ("sort =", "must be a path that begins with /"),
        ("sort = /bin/absent", "does not exist or cannot be run"),
        ('sort = /bin/sh "-c', "a quotation mark is missing"),
        ("sort = /bin/sh {scale}{scale}", "a word may contain {scale} once"),
        ("sort = /bin/true" + 16 * " x", "more than 16 words"),
        ("sort = /bin/true " + 600 * "x", "longer than 510 characters"),
    ],
)
def test_a_bad_line_is_named(refused, line, what):
    said = refused(config=f"# ours\nok = /bin/true\n{line}\n")
    assert "litemrcd.conf:3: " in said
    assert what in said


def test_nine_programs_are_too_many(refused):
    said = refused(config="".join(f"p{i} = /bin/true\n" for i in range(9)))
    assert "litemrcd.conf:9: there are more than 8 programs" in said


def test_children_take_cgroups(refused):
    said = refused("--cgroup=none", config="tree [children] = /bin/true\n")
    assert "[children] of tree needs a cgroup" in said


def test_words_reach_the_program_as_they_were_quoted(start_daemon, folder):
    out, script = folder / "out", folder / "script"
    out.touch()
    out.chmod(0o666)
    script.write_text(f'printf "%s|" "$@" end >{out}\n')
    config = f'words = /bin/sh {script} a "b  c" "" n={{scale}} "{{scale}} times" d"e f"g\n'
    with start_daemon(config=config).host() as device:
        device.request("run", workload=0, context=1, scale=4294967295)
        wait_until(lambda: out.read_text().endswith("end|"))

    assert out.read_text() == "a|b  c||n=4294967295|4294967295 times|de fg|end|"
