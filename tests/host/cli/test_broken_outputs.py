# SPDX-License-Identifier: BSD-2-Clause
"""A full, closed or abandoned output ends a command with one line and exit code 1."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.cli import main as cli
from litemrc.cli.device import govern
from litemrc.cli.main import main
from litemrc.errors import OutputError

from tests.timeouts import scaled_timeout

COMMAND = [sys.executable, "-m", "litemrc.cli.main"]
TRACE = "gen:loop?pages=10&n=1000"
# Each prints with another call: argparse, an action of argparse, print, a writer of pieces, JSON.
PRINTING = [
    ["--help"],
    ["--version"],
    ["mrc", "--help"],
    ["mrc", TRACE],
    ["mrc", TRACE, "--json"],
    ["hot", TRACE],
    ["heatmap", TRACE],
    ["trace", "info", TRACE],
    ["replace", TRACE, "--policy", "lru", "--memory", "4"],
]
FULL = "cannot write to standard output: No space left on device"
ids = " ".join


def run(arguments, *, unbuffered=False, **streams):
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    return subprocess.run([*COMMAND, *arguments], env=environment, timeout=scaled_timeout(60), **streams)


@pytest.mark.parametrize("arguments", PRINTING, ids=ids)
def test_a_full_stdout_is_one_line_and_exit_code_1(arguments, monkeypatch, capsys):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(arguments) == 1

    assert capsys.readouterr().err == f"litemrc: error: {FULL}\n"


# Unbuffered, argparse drops the error of the write; buffered, the error appears in the last flush.
@pytest.mark.parametrize("unbuffered", [False, True])
def test_the_interpreter_adds_nothing_to_a_full_stdout(unbuffered):
    with open("/dev/full", "w") as full:
        done = run(["--help"], unbuffered=unbuffered, stdout=full, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr.decode()) == (1, f"litemrc: error: {FULL}\n")


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_pipe_that_nobody_reads_is_one_line_and_exit_code_1(unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    done = run(["mrc", TRACE], unbuffered=unbuffered, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)

    message = b"litemrc: error: cannot write to standard output: Broken pipe\n"
    assert (done.returncode, done.stderr) == (1, message)


def closed(*numbers):
    """Close streams in the child before the command starts."""
    return lambda: [os.close(number) for number in numbers]


def test_a_closed_stdout_is_an_error_instead_of_silence():
    done = run(["mrc", TRACE], preexec_fn=closed(1), stderr=subprocess.PIPE)

    message = b"litemrc: error: cannot write to standard output: Bad file descriptor\n"
    assert (done.returncode, done.stderr) == (1, message)


def test_a_closed_stdin_is_an_error_that_names_it():
    done = run(["mrc", "-", "--format", "text"], preexec_fn=closed(0), stderr=subprocess.PIPE)

    assert done.returncode == 2
    assert done.stderr.startswith(b"litemrc: error: cannot read: Bad file descriptor\n  where:  -\n")


def test_notes_for_a_closed_stderr_do_not_reach_stdout_or_a_file(tmp_path):
    arguments = ["trace", "generate", "loop", "pages=10", "n=1000", "-o", tmp_path / "loop.txt"]
    done = run(arguments, preexec_fn=closed(0, 2), stdout=subprocess.PIPE)

    assert done.returncode == 0
    lines = (tmp_path / "loop.txt").read_text().splitlines()
    assert [line for line in lines if not line.isdigit()] == ["# page_bytes 4096"]
    assert "1,000 references" in done.stdout.decode()


def test_a_full_stderr_does_not_end_the_work():
    with open("/dev/full", "w") as full:
        done = run(["mrc", TRACE], stdout=subprocess.PIPE, stderr=full)

    assert done.returncode == 0
    assert done.stdout.startswith(b"1,000 accesses")


@pytest.mark.parametrize("suffix", ["txt", "txt.gz", "txt.xz", "txt.zst", "parquet", "oraclegeneral"])
def test_a_full_disk_is_one_line_with_the_file_and_exit_code_1(suffix, tmp_path, capsys):
    file = tmp_path / f"trace.{suffix}"
    file.symlink_to("/dev/full")
    assert main(["trace", "generate", "loop", "pages=10", "n=1000", "-o", str(file)]) == 1

    error = capsys.readouterr().err
    assert error.startswith(f"litemrc: error: {file}: cannot write: ") and error.count("\n") == 1
    assert "No space left on device" in error
    assert file.readlink() == Path("/dev/full"), "the device is not replaced by a file"


def test_a_full_disk_loses_the_picture_but_no_result(tmp_path, capsys):
    picture = tmp_path / "curve.png"
    picture.symlink_to("/dev/full")
    assert main(["mrc", TRACE, "--plot", str(picture)]) == 1

    captured = capsys.readouterr()
    assert captured.out.startswith("1,000 accesses")
    assert captured.err.startswith(f"litemrc: error: {picture}: cannot write: No space left on device")


def test_a_full_disk_names_the_log_of_govern(tmp_path):
    log = tmp_path / "log.jsonl"
    log.symlink_to("/dev/full")
    with (
        pytest.raises(OutputError, match="cannot write: No space left on device") as caught,
        govern._recorder(log, quiet=True) as keep,
    ):
        keep({"epoch": 1, "changed": False})

    assert caught.value.where == str(log)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (OSError(errno.EIO, "Input/output error", "a.txt"), 1, "a.txt: Input/output error (EIO)"),
        (OSError("no number"), 1, "no number (OSError)"),
        (MemoryError("Unable to allocate 8 TiB"), 1, "not enough memory: Unable to allocate 8 TiB"),
        (MemoryError(), 1, "not enough memory"),
        (RecursionError("maximum depth"), 2, "the input is nested too deeply"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), 2, "not utf-8 text"),
    ],
)
def test_an_error_of_the_system_is_one_line(error, code, message, monkeypatch, capsys):
    def fail(argv):
        raise error

    monkeypatch.setattr(cli, "_run", fail)
    assert main([]) == code

    line = capsys.readouterr().err
    assert line.startswith("litemrc: error: ") and message in line and line.count("\n") == 1
