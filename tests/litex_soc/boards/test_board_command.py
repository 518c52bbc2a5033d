# SPDX-License-Identifier: BSD-2-Clause
"""The command line of a board: its output, the compilers' log, and its exit codes."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from litemrc_soc.boards import command


@pytest.fixture
def run(monkeypatch):
    """run(outcome, *options): the exit code for a board whose build does `outcome`."""

    def go(outcome, *options: str) -> int:
        def build(output, **parameters):
            # Not by print, because pytest captures it before the file descriptor.
            subprocess.run(["sh", "-c", "echo words of LiteX; echo words of a compiler >&2"], check=True)
            return outcome(output, **parameters)

        module = SimpleNamespace(
            BOARD=SimpleNamespace(title="Radiona ULX3S", devices=("85F", "45F")), build=build
        )
        monkeypatch.setattr(command, "import_module", lambda name: module)
        monkeypatch.setattr(sys, "argv", ["ulx3s.py", "--build", *options])
        return command.main("ulx3s")

    return go


def fail(error: Exception):
    def build(output, **parameters):
        raise error

    return build


def test_only_what_came_of_it_is_shown_the_rest_is_in_the_log(run, tmp_path, capfd) -> None:
    log = tmp_path / "folder" / "build.log"
    asked = {}

    def outcome(output, **parameters):
        asked.update(parameters)
        return f"made {output}"

    assert run(outcome, "--log", str(log), "--device", "45F", "--pages", "4096") == 0
    assert capfd.readouterr() == ("made build/ulx3s\n", "")
    assert log.read_text() == "words of LiteX\nwords of a compiler\n"
    assert (asked["device"], asked["pages"], asked["monitor"], asked["boot"]) == ("45F", 4096, True, "rom")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("the ROM is too small"), 2),
        (RuntimeError("a clock misses"), 1),
        (subprocess.CalledProcessError(2, ["make"]), 1),
    ],
)
def test_errors_are_said_without_a_traceback(error, code, run, tmp_path, capfd) -> None:
    assert run(fail(error), "--log", str(tmp_path / "log")) == code
    said = capfd.readouterr().err
    assert str(error) in said and "Traceback" not in said


def test_an_fpga_the_board_does_not_come_with_is_refused(run, capfd) -> None:
    assert run(fail(AssertionError("not to be built")), "--device", "12F") == 2
    assert "--device must be one of 85F, 45F on ulx3s (got 12F)" in capfd.readouterr().err


def test_every_board_has_a_module_and_a_page() -> None:
    repository = Path(__file__).resolve().parents[3]
    for name in command.BOARDS:
        assert (repository / "litex-soc" / "litemrc_soc" / "boards" / f"{name}.py").is_file()
        assert f"make {name}" in (repository / "docs" / "boards" / f"{name}.md").read_text()
