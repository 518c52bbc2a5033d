# SPDX-License-Identifier: BSD-2-Clause
"""A build leaves only a bitstream that meets timing; its tools (stand-ins here) run on changed inputs."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from litemrc_soc.boards import board
from litemrc_soc.boards.board import Board, build_ecp5

TARGET = 50.0


def soc():
    """The part of a SoC that a build needs."""
    return SimpleNamespace(platform=SimpleNamespace(toolchain=SimpleNamespace(_pnr_opts="")))


BOARD = Board("ulx3s", "", ("85F",), int(TARGET * 1e6), dram="", link="", console="")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """`go(*fmax)` builds a prepared folder; fmax is the frequency in MHz reached with each seed."""
    tools, gateware = tmp_path / "bin", tmp_path / "out" / "gateware"
    for tool in ("yosys", "nextpnr-ecp5", "ecppack"):
        (tools / tool).parent.mkdir(exist_ok=True)
        (tools / tool).write_text("#!/bin/sh\n")
        (tools / tool).chmod(0o755)
    gateware.mkdir(parents=True)
    source = gateware / "litemrc.v"
    source.write_text("// today\nmodule litemrc; endmodule\n")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setattr(board, "elaborate", lambda *arguments, **options: gateware)

    def go(*fmax: float):
        reached = " ".join(f"{mhz:.2f}" for mhz in fmax)
        (tools / "yosys").write_text(f"#!/bin/sh\necho ran >>{tmp_path / 'syntheses'}\n")
        (tools / "nextpnr-ecp5").write_text(f"""#!/bin/sh
echo ran >>{tmp_path / "runs"}
seed=$2; set -- {reached}; shift $((seed - 1))
echo 'Total LUT4s: 12/83640'; echo 'Total DFFs: 34/83640'; echo 'DP16KD: 5/208'
echo "Max frequency for clock 'sys_clk': 70.00 MHz (PASS at {TARGET:.2f} MHz)"
echo "Max frequency for clock 'sys_clk': $1 MHz (FAIL at {TARGET:.2f} MHz)"
""")
        (gateware / "build_litemrc.sh").write_text(
            "# today\nyosys\nnextpnr-ecp5 --seed 1\necppack\necho bits >litemrc.bit\n"
        )
        return build_ecp5(BOARD, soc(), tmp_path / "out", seeds=range(1, len(fmax) + 1))

    return SimpleNamespace(
        go=go,
        source=source,
        bitstream=tmp_path / "out" / "litemrc.bit",
        runs=lambda: (tmp_path / "runs").read_text().count("ran"),
        syntheses=lambda: (tmp_path / "syntheses").read_text().count("ran"),
    )


def test_a_bitstream_that_meets_its_clock_is_kept_and_reported(project) -> None:
    built = project.go(50.01)
    assert project.bitstream.read_text() == "bits\n"
    assert (built.report.lut4, built.report.ff, built.report.dp16kd) == (12, 34, 5)
    assert "50.01 MHz of 50.00" in str(built) and "litemrc flash --board ulx3s" in str(built)


def test_the_system_clock_is_asked_for_even_if_no_constraint_reaches_it(project, tmp_path) -> None:
    asked = soc()
    build_ecp5(BOARD, asked, tmp_path / "out", compile_gateware=False)
    assert asked.platform.toolchain._pnr_opts == "--freq 50.0 "


def test_a_bitstream_that_misses_its_clock_is_none(project) -> None:
    project.go(50.01)
    project.source.write_text("module litemrc; wire larger; endmodule\n")
    with pytest.raises(RuntimeError, match=r"ulx3s: sys_clk reaches 49\.99 MHz of 50\.00.*--seed"):
        project.go(49.99)
    assert not project.bitstream.exists()


def test_the_next_seed_is_tried_until_the_clock_is_met_and_nothing_synthesized_again(project, capsys) -> None:
    built = project.go(49.99, 50.02, 60.00)
    assert "50.02 MHz of 50.00 (seed 2)" in str(built)
    assert (project.syntheses(), project.runs()) == (1, 2)
    assert capsys.readouterr().out == "ulx3s, seed 1: sys_clk reaches 49.99 MHz of 50.00\n"
    project.go(49.99, 50.02, 60.00)
    assert project.runs() == 2, "equal sources: nothing to do"


def test_if_no_seed_meets_the_clock_the_last_is_reported(project) -> None:
    with pytest.raises(RuntimeError, match=r"sys_clk reaches 48\.00 MHz of 50\.00 with seed 3"):
        project.go(49.00, 47.00, 48.00)
    assert not project.bitstream.exists()


def test_tools_run_again_on_other_sources_only(project) -> None:
    project.go(60.00)
    project.source.write_text("// tomorrow\nmodule litemrc; endmodule\n")
    assert project.go(60.00).report.lut4 == 12
    assert project.runs() == 1
    for runs, text in ((2, "FD #(.INIT(0)) fd;"), (3, "FD #(.INIT(1)) fd;")):
        project.source.write_text(f"// tomorrow\nmodule litemrc; {text} endmodule\n")
        project.go(60.00)
        assert project.runs() == runs


def test_what_failed_is_tried_again(project) -> None:
    for runs in (1, 2):
        with pytest.raises(RuntimeError, match="sys_clk reaches 10"):
            project.go(10.0)
        assert project.runs() == runs


def test_before_synthesis_nothing_is_asked_of_the_tools(project, tmp_path) -> None:
    built = build_ecp5(BOARD, soc(), tmp_path / "out", compile_gateware=False)
    assert built.report is None and "nothing was synthesized" in str(built)
    assert not Path(tmp_path / "runs").exists()
