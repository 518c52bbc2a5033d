# SPDX-License-Identifier: BSD-2-Clause
"""`litemrcd run`: a command is followed from its first to its last instruction; all else is unchanged."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.daemon.fake_driver import CONTEXTS, FakeDriver, is_alive
from tests.firmware.daemon.serving import environment_of
from tests.timeouts import scaled_timeout, wait_until


@pytest.fixture
def start(litemrcd, driver):
    """Start a command under `litemrcd run`."""

    def start(*command, options=(), **more):
        arguments = [litemrcd, "run", f"--sysfs={driver.sysfs}", *options, "--", *command]
        return subprocess.Popen(arguments, env=environment_of(driver), text=True, **more)

    return start


@pytest.fixture
def run(start):
    """Run a command to its end; return status, stdout and stderr."""

    def run(*command, options=()):
        process = start(*command, options=options, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said, complained = process.communicate(timeout=scaled_timeout(10))
        return process.returncode, said, complained

    return run


def followed(driver, context):
    return [int(text) for path, _, text in driver.orders() if path.endswith(f"contexts/{context}/pid")]


def test_it_is_followed_before_it_runs_and_its_context_left_free(run, driver):
    status, said, complained = run("sh", "-c", "echo $$; echo oops >&2")

    assert (status, complained) == (0, "oops\n")
    assert followed(driver, 1) == [int(said), 0]


@pytest.mark.parametrize("status", [0, 1, 2, 77, 255])
def test_the_status_is_passed_on(run, status):
    assert run("sh", "-c", f"exit {status}")[0] == status


def test_a_death_by_signal_is_passed_on(run):
    assert run("sh", "-c", "kill -TERM $$")[0] == -signal.SIGTERM
    assert run("sh", "-c", "kill -SEGV $$")[0] == -signal.SIGSEGV


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGQUIT"])
def test_signals_are_passed_on(start, driver, name):
    # Blocked and waited for: time.sleep() would sleep on if the signal came just before its system call.
    script = (
        "import signal, sys\n"
        f"signal.pthread_sigmask(signal.SIG_BLOCK, [signal.{name}])\n"
        "print('ready', flush=True)\n"
        f"signal.sigwait([signal.{name}])\n"
        "sys.exit(33)\n"
    )
    process = start(sys.executable, "-c", script, stdout=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.Signals[name])

    assert process.wait(timeout=scaled_timeout(10)) == 33
    process.stdout.close()
    assert followed(driver, 1)[-1] == 0


def test_a_signal_before_the_command_runs_reaches_it(start, driver):
    """A FIFO in place of a context's file blocks `run` between the child's fork and its release."""
    state = driver.monitor / "contexts/1/state"
    state.unlink()
    os.mkfifo(state)
    process = start("sleep", "100")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: children.read_text())
    child = int(children.read_text())
    # Asleep: in the opening of the FIFO. A signal sent earlier would find nothing that it interrupts.
    stat = Path(f"/proc/{process.pid}/stat")
    wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "S")
    process.send_signal(signal.SIGHUP)
    opened = os.open(state, os.O_RDWR)  # goes on: that file cannot be read, so the next context is taken

    assert process.wait(timeout=scaled_timeout(10)) == -signal.SIGHUP
    os.close(opened)
    assert followed(driver, 2) == [child, 0]
    assert not is_alive(child)


def test_a_caller_that_ignores_its_children_gets_the_status(start, driver):
    """The command inherits that SIGCHLD is ignored; `run` itself does not ignore it."""
    script = "import signal, sys; sys.exit(5 if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN else 6)"
    process = start(
        *(sys.executable, "-c", script),
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )

    assert process.wait(timeout=scaled_timeout(10)) == 5
    assert followed(driver, 1)[-1] == 0


def test_stop_and_go_on(start, driver):
    process = start("sleep", "100")
    wait_until(lambda: followed(driver, 1))
    (child,) = followed(driver, 1)
    wait_until(lambda: b"sleep" in Path(f"/proc/{child}/cmdline").read_bytes())
    os.kill(child, signal.SIGSTOP)
    wait_until(lambda: state_of(process.pid) == "T")
    os.kill(process.pid, signal.SIGCONT)
    wait_until(lambda: state_of(child) in "SR" and state_of(process.pid) in "SR")
    process.terminate()

    assert process.wait(timeout=scaled_timeout(10)) == -signal.SIGTERM
    assert not is_alive(child)


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_the_context_named_is_taken(run, driver):
    assert run("true", options=["--context", "3"])[0] == 0
    assert len(followed(driver, 3)) == 2
    assert not followed(driver, 1)


def test_contexts_never_used_are_taken_before_those_of_ended_processes(run, driver):
    (driver.monitor / "contexts/1/state").write_text("ended\n")
    run("true")

    assert len(followed(driver, 2)) == 2


def test_those_of_ended_processes_are_taken_then(run, driver):
    (driver.monitor / "contexts/1/state").write_text("ended\n")
    for context in (2, 3):
        (driver.monitor / f"contexts/{context}/state").write_text("following\n")
    run("true")

    assert len(followed(driver, 1)) == 2


def test_a_context_taken_by_another_meanwhile_is_passed_over(run, driver):
    driver.fail("contexts/1/pid", errno.EBUSY)

    assert run("true")[0] == 0
    assert len(followed(driver, 2)) == 2


def test_without_a_context_nothing_is_run_and_nothing_left(run, driver, folder):
    for context in range(1, CONTEXTS):
        driver.fail(f"contexts/{context}/pid", errno.EBUSY)
    status, _, complained = run("touch", str(folder / "ran"))

    assert status == 2
    assert "all contexts follow processes" in complained
    assert "echo 0 >" in complained
    assert not (folder / "ran").exists()
    (child,) = {pid for context in range(1, CONTEXTS) for pid in followed(driver, context)}
    assert not is_alive(child)


@pytest.mark.parametrize(
    ("error", "options", "what"),
    [
        (errno.EBUSY, ["--context", "1"], "context 1 follows another process"),
        (errno.ENODEV, [], "contexts/1/pid: No such device"),
        (0, ["--context", "4"], "there is no context 4"),
    ],
)
def test_what_cannot_be_had_is_named(run, driver, folder, error, options, what):
    driver.fail("contexts/1/pid", error)
    status, _, complained = run("touch", str(folder / "ran"), options=options)

    assert status == 2
    assert what in complained
    assert not (folder / "ran").exists()


def test_a_command_that_is_none_has_a_shells_status(run, driver, folder):
    (folder / "text").write_text("no program\n")

    status, _, complained = run("/absent/command")
    assert (status, complained) == (127, "litemrcd: /absent/command: No such file or directory\n")
    assert run(str(folder / "text"))[0] == 126
    assert followed(driver, 1)[-1] == 0


def test_without_a_driver_it_says_so(run, driver):
    for option, remedy in (("--sysfs=/absent", "--sysfs"), ("--device=/dev/litemrc7", "load the driver")):
        status, _, complained = run("true", options=[option])

        assert status == 2
        assert remedy in complained


def test_the_device_that_is_named_follows_it(litemrcd, folder):
    with FakeDriver(folder, name="litemrc3") as second:
        command = [litemrcd, "run", f"--sysfs={second.sysfs}", "--device=/dev/litemrc3", "--", "true"]
        assert subprocess.run(command, env=environment_of(second)).returncode == 0

    assert [text for path, _, text in second.orders() if path.endswith("litemrc3/contexts/1/pid")][1:] == [
        "0"
    ]


def test_input_and_open_files_are_the_callers(start):
    process = start("cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    said, _ = process.communicate("through\n", timeout=scaled_timeout(10))

    assert said == "through\n"
