"""The tools of a board's build; a missed clock target fails it."""

import os
import stat
from pathlib import Path

import pytest
from litemrc_soc.boards import open_tools
from litemrc_soc.boards.open_tools import Clock, Report, missed_clocks, parse_report, run_script, search_path

# Lines of nextpnr-ecp5 0.11; the clock is estimated after placement and final after routing.
LOG = """\
Info:     Total LUT4s:     12082/83640    14%
Info:      Total DFFs:      7409/83640     8%
Info: 	              DP16KD:      91/    208    43%
Info: Max frequency for clock '$glbnet$sys_clk': 53.64 MHz (PASS at 50.00 MHz)
Info: Max frequency for clock   '$glbnet$por_clk': 201.13 MHz (PASS at 48.00 MHz)
Info: Max frequency for clock '$glbnet$sys_clk': 49.98 MHz (FAIL at 50.00 MHz)
"""


def test_the_clock_behind_routing_counts() -> None:
    report = parse_report(LOG)
    assert (report.lut4, report.ff, report.dp16kd) == (12082, 7409, 91)
    assert report.clocks == {"$glbnet$sys_clk": Clock(49.98, 50.0), "$glbnet$por_clk": Clock(201.13, 48.0)}
    assert missed_clocks(report, 50e6) == ["$glbnet$sys_clk reaches 49.98 MHz of 50.00"]


def test_a_clock_that_was_asked_for_less_is_a_miss() -> None:
    report = Report(1, 1, 1, {"$glbnet$sys_clk": Clock(60.0, 12.0)})
    assert missed_clocks(report, 50e6) == ["no clock was constrained to the system's 50.00 MHz"]
    assert missed_clocks(Report(1, 1, 1, {"$glbnet$sys_clk": Clock(60.0, 50.0)}), 50e6) == []


@pytest.mark.parametrize("lacking", ["Total LUT4s", "DP16KD", "Max frequency"])
def test_a_log_without_figures_is_refused(lacking) -> None:
    with pytest.raises(ValueError, match="no"):
        parse_report("\n".join(line for line in LOG.splitlines() if lacking not in line))


def put_program(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def packaged(tmp_path, monkeypatch) -> Path:
    """The folder of an interpreter with YoWASP's tools beside it; they see it."""
    folder = tmp_path / "venv" / "bin"
    for tool in open_tools.TOOLS:
        put_program(folder / f"yowasp-{tool}", f"echo packaged {tool} $*")
    monkeypatch.setattr(open_tools.sys, "executable", str(folder / "python"))
    monkeypatch.setattr(open_tools.tempfile, "gettempdir", lambda: str(tmp_path / "hidden"))
    monkeypatch.setenv("PATH", str(tmp_path / "real") + os.pathsep + "/usr/bin" + os.pathsep + "/bin")
    return folder


def test_real_tools_are_taken_and_packaged_ones_stand_in(packaged, tmp_path) -> None:
    put_program(tmp_path / "real" / "yosys", "echo real yosys $*")
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "build.sh").write_text("yosys one\nnextpnr-ecp5 two\necppack three\n")
    said = run_script(folder, "build.sh", search_path(folder))
    assert said.splitlines() == ["real yosys one", "packaged nextpnr-ecp5 two", "packaged ecppack three"]
    assert (folder / "build.log").read_text() == said


def test_a_folder_that_packaged_tools_cannot_see_is_refused(packaged, tmp_path) -> None:
    with pytest.raises(RuntimeError, match="does not see"):
        search_path(tmp_path / "hidden" / "build")


def test_without_any_tool_it_says_what_installs_it(packaged, tmp_path) -> None:
    (packaged / "yowasp-ecppack").unlink()
    with pytest.raises(RuntimeError, match=r"no ecppack on PATH.*make \.venv/pnr\.stamp installs it"):
        search_path(tmp_path / "build")


def test_a_tool_that_fails_names_its_log(packaged, tmp_path) -> None:
    (tmp_path / "build.sh").write_text("echo no such cell\nexit 3\n")
    with pytest.raises(RuntimeError, match=r"(?s)build\.sh failed.*build\.log.*no such cell"):
        run_script(tmp_path, "build.sh")
