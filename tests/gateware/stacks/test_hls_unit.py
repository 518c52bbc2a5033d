"""The wrapper of Verilog from Vitis HLS; tests/cosim/test_hls_unit_cosim.py tests the unit itself."""

from pathlib import Path

import pytest
from litemrc_gateware.stacks import hls_unit
from litemrc_gateware.stacks.hls_unit import HLSStackEngine, InFlight, exported_files
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import stream
from migen import ClockDomain, run_simulation
from mutation import mutated_module

# By cycle: a record is offered, the unit takes one, shows one, it is taken; whether none was inside before.
CLOCKS = [
    (1, 0, 0, 0, 1),
    (1, 1, 0, 0, 1),
    (1, 1, 0, 0, 0),
    (0, 1, 1, 0, 0),
    (1, 1, 1, 1, 0),
    (0, 0, 1, 1, 0),
    (0, 0, 1, 1, 0),
    (0, 0, 0, 0, 1),
]


def nones(in_flight_class=InFlight) -> list[int]:
    """The value of `none` in each of CLOCKS."""
    sink, source = stream.Endpoint([("data", 1)]), stream.Endpoint([("data", 1)])
    unit, seen = in_flight_class(sink, source), []

    def drive():
        for offered, taken_in, shown, taken, _ in CLOCKS:
            yield sink.valid.eq(offered)
            yield sink.ready.eq(taken_in)
            yield source.valid.eq(shown)
            yield source.ready.eq(taken)
            yield
            seen.append((yield unit.none))

    run_simulation(unit, drive())
    return seen


def test_none_is_in_flight_when_as_many_came_out_as_went_in() -> None:
    assert nones() == [expected for *_, expected in CLOCKS]


@pytest.mark.parametrize(
    ("old", "new"),
    [("(sink.valid & sink.ready)", "sink.valid"), ("(source.valid & source.ready)", "source.valid")],
)
def test_a_record_that_is_only_offered_counts_for_none(old, new) -> None:
    mutant = mutated_module(Path(hls_unit.__file__), old, new)
    assert nones(mutant.InFlight) != nones()


def test_ports_are_those_vitis_gives_the_cpp() -> None:
    engine = HLSStackEngine("group_stack", frames=8192, groups=64, contexts=8)
    engine.cd_sys = ClockDomain("sys")
    ios = {
        engine.cd_sys.clk,
        engine.cd_sys.rst,
        *engine.sink.flatten(),
        *engine.source.flatten(),
        engine.idle,
    }
    verilog = str(convert(engine, ios, name="top"))
    # Op: kind 2, frame 13, context 3, write, epoch_end: 20 bits of 24; Position: 2, 6, 3, 1: 12 bits of 16.
    for port in ("ap_clk", "ap_rst_n", "ops_TVALID", "ops_TREADY", "positions_TVALID", "positions_TREADY"):
        assert f".{port}" in verilog
    assert "[23:0]" in verilog and "[15:0]" in verilog


def test_exported_files_are_verilog_first_then_contents_of_memories(tmp_path) -> None:
    for name, text in (
        ("group_stack.v", "module group_stack (\n"),
        ("group_stack_pages.v", "module group_stack_pages (\n"),
        ("group_stack_pages.dat", "0\n"),
        ("report.txt", ""),
    ):
        (tmp_path / name).write_text(text)
    names = [file.name for file in exported_files(tmp_path, "group_stack")]
    assert names == ["group_stack.v", "group_stack_pages.v", "group_stack_pages.dat"]
    with pytest.raises(ValueError, match="has the module bucket_stack"):
        exported_files(tmp_path, "bucket_stack")
    with pytest.raises(ValueError, match="holds no Verilog"):
        exported_files(tmp_path / "empty", "group_stack")
