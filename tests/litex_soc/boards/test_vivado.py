"""The Arty's project is portable; with Vivado (a stand-in here) a missed clock target fails."""

import pytest
from litemrc_soc.boards import vivado
from litemrc_soc.boards.vivado import TIMING_MET, build_vivado, gather_sources


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
