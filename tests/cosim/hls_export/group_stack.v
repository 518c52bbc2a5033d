// What stands in for Vitis HLS's export of group_stack with LITEMRC_FRAMES=8, LITEMRC_GROUPS=4, LITEMRC_CONTEXTS=2:
// its ports, its sweep after reset, a few cycles an operation. Inside, each page simply knows its LRU position.
module group_stack (
    input            ap_clk,
    input            ap_rst_n,
    input      [7:0] ops_TDATA,
    input            ops_TVALID,
    output           ops_TREADY,
    output reg [7:0] positions_TDATA,
    output reg       positions_TVALID,
    input            positions_TREADY
);
localparam FRAMES = 8;
localparam [1:0] ACCESS = 0, INVALIDATE = 1, CLEAR = 2;
localparam [1:0] HIT = 0, MISS = 1, NONE = 2, CLEARED = 3;

reg       valid[0:FRAMES-1];
reg       owner[0:FRAMES-1];
reg [2:0] position[0:FRAMES-1]; // in its owner's stack, from the most recently used
reg [3:0] sweep;                // the next frame to be made invalid; FRAMES: done
reg       busy;
reg [7:0] op;
wire [1:0] kind  = op[1:0];
wire [2:0] frame = op[4:2];
wire       context_id = valid[frame] ? owner[frame] : op[5];

assign ops_TREADY = ap_rst_n && sweep == FRAMES && !busy && !positions_TVALID;

integer f;
always @(posedge ap_clk) begin
    if (!ap_rst_n) begin
        sweep <= 0;
        busy <= 0;
        positions_TVALID <= 0;
    end else begin
        if (sweep != FRAMES) begin
            valid[sweep[2:0]] <= 0;
            sweep <= sweep + 1;
        end
        if (ops_TVALID && ops_TREADY) begin
            op <= ops_TDATA;
            busy <= 1;
            if (ops_TDATA[1:0] == CLEAR)
                sweep <= 0;
        end
        if (positions_TVALID && positions_TREADY)
            positions_TVALID <= 0;
        if (busy && sweep == FRAMES) begin
            busy <= 0;
            positions_TVALID <= 1;
            positions_TDATA <= {2'b00, op[7], 3'b000, kind == CLEAR ? CLEARED : NONE};
            if (kind == ACCESS) begin
                positions_TDATA <= {2'b00, op[7], context_id, valid[frame] ? position[frame][2:1] : 2'b00,
                                    valid[frame] ? HIT : MISS};
                for (f = 0; f < FRAMES; f = f + 1)
                    if (valid[f] && owner[f] == context_id && (!valid[frame] || position[f] < position[frame]))
                        position[f] <= position[f] + 1;
                valid[frame] <= 1;
                owner[frame] <= context_id;
                position[frame] <= 0;
            end
            if (kind == INVALIDATE && valid[frame]) begin
                for (f = 0; f < FRAMES; f = f + 1)
                    if (valid[f] && owner[f] == context_id && position[f] > position[frame])
                        position[f] <= position[f] - 1;
                valid[frame] <= 0;
            end
        end
    end
end
endmodule
