# SPDX-License-Identifier: BSD-2-Clause
"""The tools of a board's build: the Arty's project is portable, and a missed clock target fails."""

import os
import stat
from pathlib import Path

import pytest
from litemrc_soc.boards import open_tools, vivado
from litemrc_soc.boards.open_tools import Clock, Report, missed_clocks, parse_report, run_script, search_path
from litemrc_soc.boards.vivado import TIMING_MET, build_vivado, gather_sources

# Lines of nextpnr-ecp5 0.11; the clock is estimated after placement and final after routing.
LOG = """\
Info:     Total LUT4s:     12082/83640    14%
Info:      Total DFFs:      7409/83640     8%
Info: 	              DP16KD:      91/    208    43%
Info: Max frequency for clock '$glbnet$sys_clk': 53.64 MHz (PASS at 50.00 MHz)
Info: Max frequency for clock   '$glbnet$por_clk': 201.13 MHz (PASS at 48.00 MHz)
Info: Max frequency for clock '$glbnet$sys_clk': 49.98 MHz (FAIL at 50.00 MHz)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project after `elaborate`, and no Vivado on PATH."""
    gateware = tmp_path / "out" / "gateware"
    outside = tmp_path / "elsewhere" / "VexRiscv.v"
    for file, text in (
        (outside, "module VexRiscv; endmodule\n"),
        (gateware / "litemrc.v", "module litemrc; endmodule\n"),
        (
            gateware / "litemrc.tcl",
            f"read_verilog {{{outside}}}\nread_verilog {{{gateware / 'litemrc.v'}}}\n",
        ),
        (gateware / "build_litemrc.sh", "vivado -mode batch -source litemrc.tcl\n"),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    class SoC:
        class platform:  # noqa: N801
            sources = ((str(outside), "verilog", "work"), (str(gateware / "litemrc.v"), "verilog", "work"))

    class Board:
        name = "arty"

    monkeypatch.setattr(vivado, "elaborate", lambda *arguments: gateware)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return lambda: build_vivado(Board, SoC, tmp_path / "out")


def test_a_real_project_names_no_file_outside_its_folder(elaborated) -> None:
    arty = elaborated("arty")
    gather_sources(arty.soc.platform.sources, arty.folder)
    named = [
        line.split("{")[1].rstrip("}")
        for line in (arty.folder / "litemrc.tcl").read_text().splitlines()
        if line.startswith("read_verilog")
    ]
    assert {"litemrc.v", "VexRiscv_Linux.v"} <= set(named)
    assert all((arty.folder / name).is_file() and "/" not in name for name in named)
    assert "read_xdc litemrc.xdc" in (arty.folder / "litemrc.tcl").read_text()
    assert (arty.folder / "litemrc_rom.init").is_file()


def test_without_vivado_it_says_what_to_type_where_it_is(project, tmp_path) -> None:
    (tmp_path / "out").mkdir(exist_ok=True)
    (tmp_path / "out" / "litemrc.bit").write_text("of an older build")
    told = str(project())
    assert "vivado -mode batch -source litemrc.tcl" in told and str(tmp_path / "out" / "gateware") in told
    assert not (tmp_path / "out" / "litemrc.bit").exists()
    assert (tmp_path / "out" / "gateware" / "VexRiscv.v").is_file()


@pytest.mark.parametrize("met", [True, False])
def test_with_vivado_a_bitstream_that_misses_a_clock_is_none(met, project, tmp_path) -> None:
    program = tmp_path / "bin" / "vivado"
    program.parent.mkdir()
    line = TIMING_MET if met else "Timing constraints are not met."
    program.write_text(f"#!/bin/sh\necho '{line}' >litemrc_timing.rpt\necho bits >litemrc.bit\n")
    program.chmod(0o755)
    if met:
        project()
    else:
        with pytest.raises(RuntimeError, match="arty: a clock misses its target"):
            project()
    assert (tmp_path / "out" / "litemrc.bit").exists() == met


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
