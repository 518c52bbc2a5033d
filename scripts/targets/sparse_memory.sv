// SPDX-License-Identifier: BSD-2-Clause
// A BankModel's array of any size: words that were never written read as 0 and take no memory.
module sparse_memory #(parameter WIDTH = 64, parameter ADDRESS = 20) (
    input clk,
    input [ADDRESS-1:0] write_address,
    input [WIDTH-1:0] write_data,
    input [WIDTH/8-1:0] write_enable,
    input [ADDRESS-1:0] read_address,
    output [WIDTH-1:0] read_data
);
    bit [WIDTH-1:0] words [bit [31:0]];
    bit [31:0] writes = 0;
    bit [WIDTH-1:0] word;

    // `after` makes a write change the inputs, so that it is seen by a read of the same address.
    function automatic [WIDTH-1:0] stored(input [31:0] address, input [31:0] after);
        stored = words.exists(address) ? words[address] : 0;
    endfunction

    assign read_data = stored(32'(read_address), writes);

    always @(posedge clk)
        if (|write_enable) begin
            word = stored(32'(write_address), writes);
            for (int lane = 0; lane < WIDTH / 8; lane++)
                if (write_enable[lane])
                    word[8*lane +: 8] = write_data[8*lane +: 8];
            words[32'(write_address)] = word;
            writes <= writes + 1;
        end
endmodule
