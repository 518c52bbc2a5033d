# SPDX-License-Identifier: BSD-2-Clause
"""What stands in for an HLS compiler's Verilog: its ports, and the C++ behind them, a few cycles a call."""

from pathlib import Path

from litemrc_gateware.hls.units import port_widths

from tests.cosim.builder import Sizes

STREAMS = {
    "group_stack": ("ops", "positions"),
    "hit_counters": ("positions", "epochs"),
    "working_set": ("ops", "first_touches"),
}

MODULE = """
module {unit} (
    input ap_clk,
    input ap_rst_n,
{control}
    input [{sink_high}:0] {sink}_TDATA,
    input {sink}_TVALID,
    output {sink}_TREADY,
    output reg [{source_high}:0] {source}_TDATA,
    output reg {source}_TVALID,
    input {source}_TREADY
);
import "DPI-C" function void {unit}_reset();
import "DPI-C" function longint {unit}_step(input longint word);
{imports}
reg [{sink_high}:0] word;
reg [2:0] left;  // cycles of the call
reg [7:0] dice = 1;
reg answers;
assign {sink}_TREADY = ap_rst_n && left == 0 && !{source}_TVALID && {free};

always @(posedge ap_clk) begin
    dice <= {{dice[6:0], dice[7] ^ dice[5] ^ dice[4] ^ dice[3]}};
    if ({source}_TVALID && {source}_TREADY)
        {source}_TVALID <= 0;
    if (left != 0)
        left <= left - 1;
    {default}
    if ({sink}_TVALID && {sink}_TREADY) begin
        word <= {sink}_TDATA;
        left <= 1 + dice[1:0];
    end else if (left == 1) begin
        {work}
    end
    {copying}
    if (!ap_rst_n) begin
        {unit}_reset();
        left <= 0;
        {source}_TVALID <= 0;
        {at_reset}
    end
end
endmodule
"""
ANSWER = """{source}_TDATA <= {width}'({unit}_step(64'(word)));
        {source}_TVALID <= 1;"""
# The copy of the window, then the record of the epoch.
WINDOW = {
    "control": """    input ap_start,
    output reg ap_done,
    output reg [31:0] window_Addr_A,
    output reg window_EN_A,
    output reg [3:0] window_WEN_A,
    output reg [31:0] window_Din_A,
    input [31:0] window_Dout_A,""",
    "imports": """import "DPI-C" function longint hit_counters_window(input int word);
import "DPI-C" function int hit_counters_window_words();
reg [31:0] next;
reg copies = 0;
reg [39:0] epoch;""",
    "free": "!copies && ap_start",
    "default": "ap_done <= 0; window_WEN_A <= 0; window_EN_A <= copies;",
    "work": """epoch = 40'(hit_counters_step(64'(word)));
        copies <= epoch[39];
        ap_done <= !epoch[39];
        next <= 0;""",
    "copying": """if (copies) begin
        window_Addr_A <= 4 * next;
        window_Din_A <= 32'(hit_counters_window(next));
        window_WEN_A <= 4'b1111;
        next <= next + 1;
        if (next == hit_counters_window_words() - 1) begin
            copies <= 0;
            ap_done <= 1;
            epochs_TDATA <= epoch & 40'h7fffffffff;
            epochs_TVALID <= 1;
        end
    end""",
    "at_reset": "copies <= 0;",
}
NOTHING_ELSE = dict.fromkeys(("control", "imports", "default", "copying", "at_reset"), "") | {"free": "1'b1"}


def write_stand_in(unit: str, sizes: Sizes, folder: Path) -> Path:
    """Write <unit>.sv into a folder; bench/hls_stand_in.cpp carries out its functions."""
    sink, source = STREAMS[unit]
    widths = port_widths(unit, sizes.frames, sizes.groups, sizes.contexts)
    sink_bits, source_bits = widths[f"{sink}_TDATA"], widths[f"{source}_TDATA"]
    more = WINDOW if unit == "hit_counters" else NOTHING_ELSE
    answer = {"work": ANSWER.format(unit=unit, source=source, width=source_bits)}
    path = folder / f"{unit}.sv"
    text = MODULE.format(
        **(answer | more),
        unit=unit,
        sink=sink,
        source=source,
        sink_high=sink_bits - 1,
        source_high=source_bits - 1,
    )
    path.write_text(text)
    return path
