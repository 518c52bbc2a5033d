# SPDX-License-Identifier: BSD-2-Clause
"""Without modules that only POSIX systems have, curves of traces work; other commands name the module."""

import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.cli.main import POSIX_MODULES

WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({sorted(POSIX_MODULES)}))  # an import of these fails
import litemrc
from litemrc.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def litemrc(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command without these modules."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *map(str, words)], capture_output=True, text=True, check=False
    )


def test_a_curve_needs_no_posix_module(tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text("0x1000\n0x2000\n" * 50)
    done = litemrc("mrc", tmp_path / "trace.txt")
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) == 0.02  # two pages in turn: 2 cold misses of 100 accesses


@pytest.mark.parametrize(
    "command", ["", "mrc", "trace", "curve", "allocate", "serve"]
)  # pyserial has its own
def test_help_needs_no_posix_module(command: str) -> None:
    done = litemrc(*command.split(), "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: litemrc"), done.stderr


def test_a_command_that_needs_one_names_it_and_exits_with_2() -> None:
    done = litemrc("linux", "build/linux")
    assert done.returncode == 2
    assert "this command needs Python's module termios" in done.stderr and "run it on Linux" in done.stderr
    assert "Traceback" not in done.stderr
