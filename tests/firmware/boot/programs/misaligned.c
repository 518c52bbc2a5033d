// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

#define LOAD_MISALIGNED 4
#define STORE_MISALIGNED 6

enum { LH = 1, LW = 2, LHU = 5, SH = 1, SW = 2 };

static uint8_t memory[16];
static uint32_t in[32], out[32];

static void fill(void)
{
	for (uint32_t i = 0; i < sizeof(memory); i++)
		memory[i] = 0x81 + 0x13 * i;
	for (uint32_t i = 1; i < 32; i++)
		in[i] = 0xa5000000 + 0x010203 * i;
}

/* Runs the instruction of this function with base register rs1, and its trap. */
static void access(uint32_t instruction, uint32_t cause, uint32_t address)
{
	csr_write(scause, cause);
	csr_write(stval, address);
	execute((uint32_t[]){RETRAP, instruction}, in, out);
}

static void load(uint32_t function, uint32_t rd, uint32_t offset)
{
	uint32_t rs1 = rd == 11 ? 12 : 11, expected;

	fill();
	in[rs1] = (uint32_t)memory + 4;
	expected = memory[4 + offset] | memory[5 + offset] << 8;
	if (function == LW)
		expected |= memory[6 + offset] << 16 | (uint32_t)memory[7 + offset] << 24;
	else if (function == LH)
		expected = (int16_t)expected;
	access(offset << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x03, LOAD_MISALIGNED, in[rs1] + offset);
	for (uint32_t i = 1; i < 32; i++)
		CHECK(out[i] == (i == rd ? expected : in[i]));
}

static void store(uint32_t function, uint32_t rs2, uint32_t offset)
{
	uint32_t rs1 = rs2 == 11 ? 12 : 11, bytes = function == SW ? 4 : 2, value;
	uint8_t before[sizeof(memory)];

	fill();
	in[rs1] = (uint32_t)memory + 4;
	value = rs2 ? in[rs2] : 0;
	for (uint32_t i = 0; i < sizeof(memory); i++)
		before[i] = memory[i];
	access(rs2 << 20 | rs1 << 15 | function << 12 | offset << 7 | 0x23, STORE_MISALIGNED, in[rs1] + offset);
	for (uint32_t i = 0; i < sizeof(memory); i++) {
		bool written = i >= 4 + offset && i < 4 + offset + bytes;

		CHECK(memory[i] == (written ? (uint8_t)(value >> 8 * (i - 4 - offset)) : before[i]));
	}
	for (uint32_t i = 1; i < 32; i++)
		CHECK(out[i] == in[i]);
}

int main(void)
{
	for (uint32_t r = 0; r < 32; r++)
		for (uint32_t offset = 1; offset < 4; offset++) {
			load(LW, r, offset);
			store(SW, r, offset);
			if (offset & 1) {
				load(LH, r, offset);
				load(LHU, r, offset);
				store(SH, r, offset);
			}
		}
	CHECK(trapped.count == 0);

	/* An atomic is not completed: S mode hears of it. amoadd.w x5, x6, (x11) */
	fill();
	__asm__ volatile("mv %0, sp" : "=r"(in[2]));
	in[2] -= 1024;
	access(0x0065a2af, STORE_MISALIGNED, (uint32_t)memory + 1);
	CHECK(trapped.count == 1 && trapped.scause == STORE_MISALIGNED);
	CHECK(trapped.sepc == (uint32_t)&slot[1]);
	if (RETRAP != NOP) /* VexRiscv does not say which address an atomic had */
		CHECK(trapped.stval == (uint32_t)memory + 1);
	print("misaligned: ok\n");
	return 0;
}
