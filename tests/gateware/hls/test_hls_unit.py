# SPDX-License-Identifier: BSD-2-Clause
"""Units as an HLS compiler exports them: ports and files; their work is in tests/cosim."""

import re
from pathlib import Path

import pytest
from litemrc_gateware.hls import units as hls_unit
from litemrc_gateware.hls.exported import exported_files
from litemrc_gateware.hls.units import HLSStackEngine, InFlight, port_widths
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import stream
from migen import ClockDomain, run_simulation

from tests.mutation import mutated_module

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
    unit, seen = in_flight_class(sink, source.valid & source.ready), []

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


def test_a_record_that_is_only_offered_counts_for_none() -> None:
    mutant = mutated_module(Path(hls_unit.__file__), "(sink.valid & sink.ready)", "sink.valid")
    assert nones(mutant.InFlight) != nones()


# The module that Vitis exports of a function with the ports hls::stream<ap_uint<24>> &ops and
# hls::stream<ap_uint<16>> &positions, by AMD's rules (UG1399, Vitis HLS User Guide), not by ours:
# - a stream's ports are its argument's name with _TDATA, _TVALID, _TREADY ("How AXI4-Stream is Implemented");
# - a stream of another type than ap_axis has no TLAST and no side channels ("AXI4-Stream Interfaces without
#   Side-Channels", tip);
# - TDATA has whole bytes ("Structs in the Interface": aligned to 1 byte in the Vivado IP flow); a word of
#   whole bytes needs no padding;
# - with an AXI4 interface the reset is active low: ap_rst_n ("Controlling the Reset Behavior");
# - without block protocol there is no ap_start ("ap_ctrl_none").
# The widths are those of hls/common/records.hpp for 8,192 frames, 64 groups, 8 contexts:
# Op: kind 2, frame 13, context 3, write 1, epoch_end 1 = 20 bits; Position: 2 + 6 + 3 + 1 = 12 bits.
VITIS_PORTS = {
    "ap_clk": 1,
    "ap_rst_n": 1,
    **{"ops_TDATA": 24, "ops_TVALID": 1, "ops_TREADY": 1},
    **{"positions_TDATA": 16, "positions_TVALID": 1, "positions_TREADY": 1},
}
OUTPUTS = {"ops_TREADY", "positions_TDATA", "positions_TVALID"}


def vitis_module(top="group_stack", widths=VITIS_PORTS) -> str:
    """A module without contents in the form of Vitis' Verilog: directions and widths follow the header."""
    sides = (
        f"{'output' if port in OUTPUTS else 'input '} {f'[{bits - 1}:0] ' if bits > 1 else ''}{port};"
        for port, bits in widths.items()
    )
    return (
        f"module {top} (\n        "
        + ",\n        ".join(widths)
        + "\n);\n\n"
        + "\n".join(sides)
        + "\nendmodule\n"
    )


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
    connected = {}
    for port, signal in re.findall(r"^\s*\.(\w+)\s*\((.*?)\),?$", verilog, re.MULTILINE):
        declared = re.search(
            rf"^\s*(?:wire|reg)\s+(?:\[(\d+):0\]\s*)?{re.escape(signal)}\b", verilog, re.MULTILINE
        )
        connected[port] = int(declared[1] or 0) + 1 if declared else 1
    assert connected == VITIS_PORTS
    assert port_widths("group_stack", frames=8192, groups=64, contexts=8) == {
        "ops_TDATA": 24,
        "positions_TDATA": 16,
    }


def test_exported_files_are_verilog_first_then_contents_of_memories(tmp_path) -> None:
    for name, text in (
        ("group_stack.v", vitis_module()),
        ("group_stack_pages.v", "module group_stack_pages (\n"),
        ("group_stack_pages.dat", "0\n"),
        ("report.txt", ""),
    ):
        (tmp_path / name).write_text(text)
    ports = port_widths("group_stack", frames=8192, groups=64, contexts=8)
    names = [file.name for file in exported_files(tmp_path, "group_stack", ports)]
    assert names == ["group_stack.v", "group_stack_pages.v", "group_stack_pages.dat"]
    with pytest.raises(ValueError, match="has the module bucket_stack"):
        exported_files(tmp_path, "bucket_stack", ports)
    with pytest.raises(ValueError, match="holds no Verilog"):
        exported_files(tmp_path / "empty", "group_stack", ports)


@pytest.mark.parametrize("port", ["ops_TDATA", "positions_TDATA"])
def test_an_export_for_other_sizes_is_refused_with_both_widths(tmp_path, port) -> None:
    ports = port_widths("group_stack", frames=8192, groups=64, contexts=8)
    (tmp_path / "group_stack.v").write_text(vitis_module(widths={**VITIS_PORTS, port: 32}))
    with pytest.raises(
        ValueError, match=rf"{port} of group_stack has 32 bits, .* needs {VITIS_PORTS[port]};"
    ):
        exported_files(tmp_path, "group_stack", ports)
    without = {name: bits for name, bits in VITIS_PORTS.items() if name != port}
    (tmp_path / "group_stack.v").write_text(vitis_module(widths=without))
    with pytest.raises(ValueError, match=f"has no port {port}"):
        exported_files(tmp_path, "group_stack", ports)


def test_widths_in_the_header_of_the_module_are_read_as_well(tmp_path) -> None:
    (tmp_path / "group_stack.v").write_text(
        "module group_stack (\n  input [7:0] ops_TDATA,\n  output reg [7:0] positions_TDATA\n);\nendmodule\n"
    )
    # Op of 8 frames in 2 contexts: 2 + 3 + 1 + 2 = 8 bits; Position of 4 groups: 2 + 2 + 1 + 1 = 6 bits.
    ports = port_widths("group_stack", frames=8, groups=4, contexts=2)
    assert ports == {"ops_TDATA": 8, "positions_TDATA": 8}
    assert [file.name for file in exported_files(tmp_path, "group_stack", ports)] == ["group_stack.v"]
    with pytest.raises(ValueError, match="has 8 bits, but this monitor needs 24"):
        exported_files(
            tmp_path, "group_stack", port_widths("group_stack", frames=8192, groups=64, contexts=8)
        )


def test_widths_of_each_unit_are_those_of_its_records() -> None:
    # Counted: Position's 12 bits and first_touch; the record of an epoch: 32 + 1 bits; a touch: 1 bit.
    assert port_widths("hit_counters", 8192, 64, 8) == {"positions_TDATA": 16, "epochs_TDATA": 40}
    assert port_widths("working_set", 8192, 64, 8) == {"ops_TDATA": 24, "first_touches_TDATA": 8}
    with pytest.raises(ValueError, match="no HLS unit 'page_filter'"):
        port_widths("page_filter", 8192, 64, 8)
