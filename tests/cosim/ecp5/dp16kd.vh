// The body of the ECP5's block RAM: 1024 words of 18 bits, in the modes that yosys uses (FPGA-TN-02204).
wire [13:0] ada = {
    ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
wire [13:0] adb = {
    ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
wire [17:0] dia = {
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
    DIA3, DIA2, DIA1, DIA0};
wire [17:0] dib = {
    DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
    DIB3, DIB2, DIB1, DIB0};
reg [17:0] qa = 0, qb = 0;
assign {
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4,
    DOA3, DOA2, DOA1, DOA0} = qa;
assign {
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4,
    DOB3, DOB2, DOB1, DOB0} = qb;

localparam PAIRS = DATA_WIDTH_A == 36 || DATA_WIDTH_B == 36; // port A writes, port B reads
reg [17:0] words [0:1023];
// The low bits of the address of wide words enable their bytes.
wire write_a = CEA & WEA & (DATA_WIDTH_A == 36 ? |ada[3:0] : DATA_WIDTH_A == 18 ? |ada[1:0] : 1'b1);
wire write_b = CEB & WEB & (DATA_WIDTH_B == 18 ? |adb[1:0] : 1'b1);

// The number of low bits of the address that this width has no use for.
function automatic integer unused(input integer width);
    case (width)
        36: unused = 5;
        18: unused = 4;
        9: unused = 3;
        4: unused = 2;
        2: unused = 1;
        default: unused = 0;
    endcase
endfunction
localparam WIDEST = DATA_WIDTH_A > DATA_WIDTH_B ? DATA_WIDTH_A : DATA_WIDTH_B;
wire meet = ada >> unused(WIDEST) == adb >> unused(WIDEST);

// The lowest bit of a word that a port of this width sees: a byte has 9 bits, and narrow ports see 8 of them.
function automatic [4:0] place(input [13:0] address, input integer width);
    case (width)
        9: place = address[3] ? 9 : 0;
        4: place = (address[3] ? 9 : 0) + {2'b0, address[2], 2'b0};
        2: place = (address[3] ? 9 : 0) + {2'b0, address[2:1], 1'b0};
        1: place = (address[3] ? 9 : 0) + {2'b0, address[2:0]};
        default: place = 0;
    endcase
endfunction

function automatic [17:0] written(
    input [17:0] word, input [13:0] address, input [17:0] data, input integer width);
    integer index;
    written = word;
    if (width >= 18) begin
        if (address[0]) written[8:0] = data[8:0];
        if (address[1]) written[17:9] = data[17:9];
    end else
        for (index = 0; index < width; index = index + 1)
            written[place(address, width) + index[4:0]] = data[index];
endfunction

integer number;
initial begin
    for (number = 0; number < 1024; number = number + 1) words[number] = 0;
    if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB"
        || CSDECODE_A != "0b000" || CSDECODE_B != "0b000")
        $fatal(1, "DP16KD: a mode without a model");
end

// Both ports have one clock here. What one port reads while the other writes it is not defined: all bits wrong.
always @(posedge CLKA) begin
    if (RSTA | RSTB | CSA0 | CSA1 | CSA2 | CSB0 | CSB1 | CSB2 | (PAIRS & WEB))
        $fatal(1, "DP16KD: a reset, a selection or a write without a model");
    if (CEB & DATA_WIDTH_B == 36) begin
        qa <= words[{adb[13:5], 1'b0}] ^ {18{write_a & meet}};
        qb <= words[{adb[13:5], 1'b1}] ^ {18{write_a & meet}};
    end
    if (CEB & DATA_WIDTH_B != 36 & (!write_b | WRITEMODE_B != "NORMAL"))
        qb <= ((write_b & WRITEMODE_B == "WRITETHROUGH" ? written(words[adb[13:4]], adb, dib, DATA_WIDTH_B)
            : words[adb[13:4]]) >> place(adb, DATA_WIDTH_B)) ^ {18{write_a & meet}};
    if (CEA & !PAIRS & (!write_a | WRITEMODE_A != "NORMAL"))
        qa <= ((write_a & WRITEMODE_A == "WRITETHROUGH" ? written(words[ada[13:4]], ada, dia, DATA_WIDTH_A)
            : words[ada[13:4]]) >> place(ada, DATA_WIDTH_A)) ^ {18{write_b & meet}};
    if (write_a & DATA_WIDTH_A == 36) begin
        words[{ada[13:5], 1'b0}] <= written(words[{ada[13:5], 1'b0}], ada, dia, 18);
        words[{ada[13:5], 1'b1}] <= written(words[{ada[13:5], 1'b1}], ada >> 2, dib, 18);
    end
    if (write_a & DATA_WIDTH_A != 36) words[ada[13:4]] <= written(words[ada[13:4]], ada, dia, DATA_WIDTH_A);
    if (write_b) words[adb[13:4]] <= written(words[adb[13:4]], adb, dib, DATA_WIDTH_B);
end
