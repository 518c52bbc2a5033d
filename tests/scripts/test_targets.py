# SPDX-License-Identifier: BSD-2-Clause
"""The program that tries the monitor on stock targets and on those of users."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.targets import matrix
from scripts.targets.elaborate import elaborated, reason
from scripts.targets.targets_table import HEADS, is_right, markdown_table

REPO = Path(__file__).parents[2]
KEYS = {"target", "cpu", "memory", "ratio", "frames", "pages", "sampling", "elaborated", "tap_equal"}

SOC = """
from litedram.modules import MT48LC16M16
from litedram.phy.model import SDRAMPHYModel
from litex.build.sim import SimPlatform
from litex.soc.integration.soc_core import SoCMini
from migen import ClockDomain, Signal

class BaseSoC(SoCMini):
    def __init__(self, with_sdram=True, data_width=16):
        SoCMini.__init__(self, SimPlatform("SIM", []), clk_freq=50_000_000)
        self.cd_sys = ClockDomain()
        if with_sdram:
            module = MT48LC16M16(50_000_000, "1:1")
            self.sdrphy = SDRAMPHYModel(module, data_width=data_width, clk_freq=50_000_000)
            self.add_sdram("sdram", phy=self.sdrphy, module=module, l2_cache_size=0)
"""


def run(folder: Path, *arguments: object) -> tuple[int, str, list[dict[str, Any]]]:
    summary = folder / "summary.json"
    command = [
        sys.executable,
        "-m",
        "scripts.targets.elaborate",
        "--summary",
        str(summary),
        *map(str, arguments),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = json.loads(summary.read_text()) if summary.exists() else []
    return done.returncode, done.stdout + done.stderr, rows


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "my_soc.py").write_text(SOC)
    return tmp_path / "my_soc.py"


def test_a_user_s_own_target_gets_the_same_row(own: Path) -> None:
    code, output, (row,) = run(own.parent, own, "--option", "data_width=32")
    assert code == 0, output
    assert row.keys() >= KEYS
    assert row["target"] == "my_soc (data_width=32)"
    assert (row["memory"], row["ratio"], row["cpu"]) == ("SDR", "1:1", "none")
    assert row["frames"] == 4 * 2**13 * 2**9 * 4 // 4096  # banks, rows, columns, bytes
    assert row["tap_equal"] is True
    assert row["tap_accesses"] > 1000
    assert "| my_soc (data_width=32) | none |" in output


def test_a_target_s_command_line_gives_what_its_soc_needs(own: Path) -> None:
    text = SOC.replace("self, with_sdram=True, data_width=16", "self, data_width, with_sdram=True")
    own.write_text(f"{text}\nfrom litex.soc.integration.builder import Builder\n\n"
                   "def main():\n    Builder(BaseSoC(data_width=8))\n")  # fmt: skip
    code, output, (row,) = run(own.parent, own, "--no-tap")
    assert code == 0, output
    assert row["frames"] == 4 * 2**13 * 2**9 // 4096


def test_a_soc_without_sdram_is_a_row_with_the_reason(own: Path) -> None:
    code, output, (row,) = run(own.parent, own, "--option", "with_sdram=False")
    assert code == 1
    assert (row["elaborated"], row["tap_equal"]) == (False, None)
    assert row["error"] == (
        "ValueError: add_monitor: the SoC has no SDRAM; call soc.add_sdram first, or give sdram and phy"
    )
    assert "fails: ValueError: add_monitor" in output


def test_a_target_that_does_not_build_is_not_blamed_on_the_monitor(own: Path) -> None:
    own.write_text(SOC.replace("MT48LC16M16(50_000_000", "MT48LC16M16(no_clock"))
    code, _, (row,) = run(own.parent, own)
    assert code == 1
    assert row["error"].startswith(
        f"ValueError: {own} does not build, without the monitor: NameError: name 'no_cl"
    )
    own.write_text("class SoC: pass\n")
    _, _, (row,) = run(own.parent, own)
    assert row["error"].endswith("there is no class BaseSoC, as in the targets of litex-boards")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/soc.py"], "there is no file /no/such/soc.py"),
        (
            ["arty_s7"],
            "no target 'arty_s7': give a file, a module of litex_boards.targets (digilent_arty_s7)",
        ),
        (["digilent_arty", "--option", "cpu"], "--option must be NAME=VALUE (got 'cpu')"),
    ],
)
def test_arguments_that_name_nothing_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    code, output, rows = run(tmp_path, *arguments)
    assert (code, rows) == (2, [])
    assert message in output


def test_names_choose_modules_files_or_words_of_the_matrix() -> None:
    assert [case.name for case in matrix.chosen(["digilent_arty"], {"cpu_type": "serv"})] == [
        "digilent_arty (cpu_type=serv)"
    ]
    assert [case.name for case in matrix.chosen(["vcu1"], {})] == ["xilinx_vcu118", "xilinx_vcu128"]
    assert matrix.chosen([], {}) == list(matrix.CASES)


def test_a_processor_that_is_not_here_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    row = elaborated(matrix.Case("digilent_arty", {"cpu_type": "moon"}, ("pythondata_cpu_moon",)))
    assert (row["elaborated"], row["tap_equal"], row["cpu"]) == (None, None, "moon")
    assert row.keys() >= KEYS
    assert "skipped: pythondata_cpu_moon not installed" in capsys.readouterr().out
    assert "skipped: pythondata_cpu_moon not installed |" in markdown_table([row])


def test_the_reason_is_the_exception_and_what_litex_logged() -> None:
    output = (
        "INFO:SoC:fine\n\x1b[1;31mERROR:SoCBusHandler:Region \x1b[1;33mmrc\x1b[0m not in IO region\x1b[0m\n"
        "Traceback (most recent call last):\n  File ...\nlitex.soc.integration.soc.SoCError\n"
    )
    assert reason(output) == "Region mrc not in IO region; litex.soc.integration.soc.SoCError"
    assert reason("") == "ended without a message"


def test_a_tap_that_differs_is_not_right() -> None:
    row = {"elaborated": True, "frames_right": True, "tap_equal": True}
    assert is_right(row)
    assert not is_right(row | {"tap_equal": False})
    assert not is_right(row | {"frames_right": False})
    assert not is_right(row | {"elaborated": False})


def test_every_row_of_the_table_has_a_cell_for_each_head() -> None:
    page = (REPO / "docs" / "targets.md").read_text()
    table = page.split("<!-- table targets -->\n")[1].split("\n<!-- end -->")[0].splitlines()
    assert len(table) == 2 + len(matrix.CASES)
    assert {line.count(" | ") for line in table} == {len(HEADS) - 1}
