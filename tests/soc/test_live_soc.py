# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc live` in a terminal, on the simulated SoC: its numbers are those of the epochs that arrived."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.curves.sizes import size_text
from litemrc.epochs.columns import COLUMNS
from litemrc.epochs.files import read_epochs
from litemrc.epochs.table import EpochTable

from tests.timeouts import wait_until

pytestmark = pytest.mark.soc

LENGTH = 10_000  # accesses of an epoch


class Terminal:
    """A session of tmux of 80 columns and 24 lines that runs a command."""

    def __init__(self, name: str, command: list[str]) -> None:
        self._tmux = ["tmux", "-u", "-L", name, "-f", "/dev/null"]
        script = f"{shlex.join(command)}; echo exit code $?; sleep 1000"
        self._call("new-session", "-d", "-x", "80", "-y", "24", script)

    def lines(self) -> list[str]:
        return self._call("capture-pane", "-p").split("\n")

    def text(self) -> str:
        return "\n".join(self.lines())

    def press(self, key: str) -> None:
        self._call("send-keys", key)

    def shows(self, words: str, seconds: float = 60) -> None:
        wait_until(lambda: words in self.text(), seconds, f"{words!r} on the screen")

    def settled(self) -> list[str]:
        """The lines once two pictures are equal but for the number of recorded epochs: none is half drawn.

        No notice covers them: its left edge is ▌.
        """
        pictures = [""]

        def stands() -> bool:
            time.sleep(0.3)
            pictures.append(re.sub(r" REC \d+ *", " REC ", self.text()))
            return pictures[-1] == pictures[-2] and "▌" not in pictures[-1]

        wait_until(stands, 60, "a screen that stands still")
        return pictures[-1].split("\n")

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False)

    def _call(self, *arguments: str) -> str:
        environment = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        done = subprocess.run(
            [*self._tmux, *arguments], capture_output=True, text=True, check=True, env=environment
        )
        return done.stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator:
    """terminal(command) -> Terminal"""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed: apt-get install tmux")
    opened: list[Terminal] = []

    def open_terminal(command: list[str]) -> Terminal:
        opened.append(Terminal(f"litemrc-{os.getpid()}-{len(opened)}", command))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


def row_of(screen: list[str], context: int) -> list[str]:
    """The cells of a context's row, units joined to their numbers; the history left out."""
    head = next(number for number, line in enumerate(screen) if line.split()[:1] == ["context"])
    (row,) = (line for line in screen[head:] if line.startswith(f"{context:>2} "))
    words = row.replace(" MiB", "MiB").replace(" KiB", "KiB").split()
    return [word for word in words if not set(word) & set("▁▂▃▄▅▆▇█")]


def expected_row(table: EpochTable, context: int) -> list[str]:
    """What a context's row must have, of the counters of one epoch."""
    name = table.context_names[context]
    pages = table.working_set(context)
    curve = table.curve(context)
    return [
        *(str(context), name, f"{int(table.accesses.sum()):,}", f"{int(table.misses.sum()):,}"),
        size_text(sum(pages.values()), table.page_bytes, 3).replace(" ", ""),
        size_text(curve.size_within(), table.page_bytes, 3).replace(" ", ""),
        "-",
    ]


@pytest.mark.parametrize("programs", [["loop:2", "zipf:1:4"], ["zipf:1"]], ids=["loop", "zipf"])
def test_the_screen_has_the_numbers_that_arrived(soc, terminal, tmp_path: Path, programs: list[str]) -> None:
    command = [sys.executable, "-m", "litemrc.cli.main", "live", "--timeout", "60", "--out", str(tmp_path)]
    command += ["--epoch-length", str(LENGTH), "--window", "1"]
    command += [word for program in programs for word in ("--run", program)]
    with soc() as simulator:
        simulator.wait_ready()
        live = terminal([*command, "--port", simulator.url])
        live.shows("bucket_stack, 8,192 pages, 8 contexts")
        live.press("r")
        live.shows(" REC ")  # the notice goes in seconds
        wait_until(lambda: re.search(r" REC ([3-9]|\d\d)", live.text()) is not None, 120, "a recording")
        live.press("Space")
        live.shows("PAUSED")
        screen = live.settled()
        live.press("Space")
        live.press("5")
        live.shows("share of pages: ")
        live.press("q")
        live.shows("exit code 0")
        assert " epochs, 0 lost, in " in live.text()

    (folder,) = tmp_path.glob("live-*")
    table = read_epochs(folder / "epochs.parquet")
    number = int(screen[1].split()[1].replace(",", ""))
    shown = table.between(number, number + 1)
    assert shown.epoch.size, f"epoch {number} is on the screen and not in the recording"
    for context in shown.contexts_with_data:
        rows = shown.rows_of(context)
        assert int(shown.accesses[rows].sum()) > 0
        assert row_of(screen, context) == expected_row(only(shown, context), context)
    assert f"{int(shown.dropped[0]):,} accesses dropped" in screen[1]
    assert f"of {LENGTH:,} accesses" in screen[1]
    assert "0 damaged, 0 lost; epochs lost: 0" in screen[2]
    assert main(["curve", str(folder / "epochs.parquet")]) == 0
    assert main(["heatmap", str(folder / "pages.parquet")]) == 0


def only(table: EpochTable, context: int) -> EpochTable:
    kept = table.rows_of(context)
    return replace(table, **{name: getattr(table, name)[kept] for name in COLUMNS})
