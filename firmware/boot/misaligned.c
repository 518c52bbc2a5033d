// SPDX-License-Identifier: BSD-2-Clause
/*
 * Misaligned loads and stores, byte by byte (Unpriv 2.6: the execution environment may complete them). Both ends are
 * translated before the first byte moves, since the second page may be missing or map another frame. Only the 4-byte
 * instructions of RV32I occur: the harts have no compressed ones, and a misaligned atomic is an error of the program.
 */
#include <shim.h>

#define OPCODE_LOAD 0x03
#define OPCODE_STORE 0x23
#define PAGE_MASK 0xfffu

/* The bytes of one memory access. */
struct place {
	uint32_t first_page_left; /* bytes from its address to the end of the first page */
	uint8_t *first, *second;  /* its bytes in the first page and in the second */
};

static uint8_t *byte_of(const struct place *place, uint32_t i)
{
	return i < place->first_page_left ? place->first + i : place->second + (i - place->first_page_left);
}

/* Translates an access; false: a page fault at *fault. */
static bool find(uint32_t address, uint32_t bytes, enum access access, struct place *place, uint32_t *fault)
{
	uint32_t physical;

	*fault = address;
	if (!translate(address, access, &physical))
		return false;
	place->first = (uint8_t *)physical;
	place->first_page_left = PAGE_MASK + 1 - (address & PAGE_MASK);
	if (place->first_page_left >= bytes)
		return true;
	*fault = address + place->first_page_left;
	if (!translate(*fault, access, &physical))
		return false;
	place->second = (uint8_t *)physical;
	return true;
}

void misaligned(struct frame *frame)
{
	uint32_t cause = csr_read(mcause), address = csr_read(mtval), pc = csr_read(mepc);
	bool store = cause == STORE_MISALIGNED;
	uint32_t instruction, function, bytes, fault, where, value = 0;
	struct place place = {0};

	if (pc & 3 || !translate(pc, FETCH, &where))
		return reflect(cause, address);
	instruction = *(const uint32_t *)where;
	if ((instruction & 0x7f) != (store ? OPCODE_STORE : OPCODE_LOAD))
		return reflect(cause, address);
	function = instruction >> 12 & 7; /* Unpriv 2.6: bits 1:0 log2 of the bytes, bit 2 unsigned */
	bytes = 1u << (function & 3);
	if (!find(address, bytes, store ? STORE : LOAD, &place, &fault))
		return reflect(store ? STORE_PAGE_FAULT : LOAD_PAGE_FAULT, fault);

	if (store) {
		uint32_t rs2 = instruction >> 20 & 31;

		value = rs2 ? frame->x[rs2] : 0;
		for (uint32_t i = 0; i < bytes; i++)
			*byte_of(&place, i) = value >> 8 * i;
	} else {
		for (uint32_t i = 0; i < bytes; i++)
			value |= (uint32_t)*byte_of(&place, i) << 8 * i;
		if (function == 1)
			value = (int16_t)value;
		frame->x[instruction >> 7 & 31] = value;
	}
	csr_write(mepc, pc + 4);
}
