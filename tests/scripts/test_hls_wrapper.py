# SPDX-License-Identifier: BSD-2-Clause
"""Bambu's Verilog behind the ports of Vitis HLS, on a text in Bambu's form."""

import pytest

from scripts.hls.wrapper import Port, ports_of, wrapped

# As Bambu 2024.10 writes it: ports declared behind the header; the function's module is the last one.
VERILOG = """
module register_SE(clock, in1);
  input clock;
  input [7:0] in1;
  initial
    begin
      $readmemb(MEMORY_INIT_file, memory, 0, n_elements-1);
    end
endmodule
module _Z12hit_countersR(clock,
  reset,
  start_port,
  done_port,
  restart,
  positions_TDATA,
  positions_TREADY,
  window_address0,
  window_ce0,
  window_we0,
  window_d0);
  // IN
  input clock;
  input reset;
  input start_port;
  input restart;
  input [15:0] positions_TDATA;
  // OUT
  output done_port;
  output positions_TREADY;
  output [9:0] window_address0;
  output window_ce0;
  output window_we0;
  output [31:0] window_d0;
  register_SE register(.clock(clock), .in1(positions_TDATA[7:0]));
endmodule
"""


def header_and_body(started: bool = True) -> tuple[set[str], str]:
    """The ports of the new module, and its text."""
    verilog = wrapped("hit_counters", VERILOG, started=started)
    header, _, body = verilog.partition(");\n")
    return {line.strip(" ,") for line in header.splitlines()[1:]}, body


def test_ports_are_named_as_vitis_names_them() -> None:
    ports, body = header_and_body()
    assert ports == {
        *("input ap_clk", "input ap_rst_n", "input ap_start", "output ap_done"),
        *("input [15:0] positions_TDATA", "output positions_TREADY"),
        # UG1399, block RAM interface: a byte address, a write enable for each byte.
        *("output [31:0] window_Addr_A", "output window_EN_A", "output [3:0] window_WEN_A"),
        *("output [31:0] window_Din_A", "input [31:0] window_Dout_A"),
    }
    assert ".start_port(ap_start)" in body and ".restart(restart)" in body
    assert "assign window_Addr_A = {window_address0, 2'b00};" in body


def test_a_free_running_function_has_no_start() -> None:
    ports, body = header_and_body(started=False)
    assert "input ap_start" not in ports
    assert ".start_port(1'b1)" in body


def test_modules_of_two_units_have_different_names_and_memories_are_not_initialized() -> None:
    _, body = header_and_body()
    assert "module hit_counters_bambu(" in body and "hit_counters_bambu unit (" in body
    assert "module hit_counters_bambu_0_register_SE(" in body
    assert "hit_counters_bambu_0_register_SE register(" in body
    assert "$readmemb" not in body


def test_a_store_enables_as_many_bytes_as_it_has() -> None:
    text = VERILOG.replace("initial", "default:CONV=-1;\n  initial")  # as Bambu's library has it
    verilog = wrapped("hit_counters", text, started=True)
    assert "CONV=-1" not in verilog
    assert "default:CONV=({{n_byte_on_databus*2-1{1'b0}},1'b1}<<po2)-1;" in verilog


def test_ports_have_directions_and_widths() -> None:
    ports = ports_of("_Z12hit_countersR", VERILOG)
    assert Port("input", 16, "positions_TDATA") in ports
    assert Port("output", 1, "done_port") in ports
    assert len(ports) == 11


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no module"),
        (VERILOG.replace("  input restart;\n", ""), "does not declare restart"),
        (VERILOG.replace("window_ce0", "window_address1"), "uses two ports of the RAM window"),
    ],
)
def test_what_is_not_as_expected_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrapped("hit_counters", text, started=True)
