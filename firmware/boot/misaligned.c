// SPDX-License-Identifier: BSD-2-Clause
/*
 * Misaligned loads and stores, byte by byte (Unpriv 2.6: the execution environment may complete them). Both ends are
 * translated before the first byte moves, since the second page may be missing or map another frame. Only 4-byte
 * instructions occur, of RV32I and RV64I: the harts have no compressed ones, and a misaligned atomic is an error of the program.
 */
#include <shim.h>

#define OPCODE_LOAD 0x03
#define OPCODE_STORE 0x23
#define PAGE_MASK ((uintptr_t)0xfff)

/* The bytes of one memory access. */
struct place {
	uintptr_t first_page_left; /* bytes from its address to the end of the first page */
	uint8_t *first, *second;  /* its bytes in the first page and in the second */
};

static uint8_t *byte_of(const struct place *place, uintptr_t i)
{
	return i < place->first_page_left ? place->first + i : place->second + (i - place->first_page_left);
}

/* Translates an access; false: a page fault at *fault. */
static bool find(uintptr_t address, uintptr_t bytes, enum access access, struct place *place, uintptr_t *fault)
{
	uintptr_t physical;

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
	uintptr_t cause = csr_read(mcause), address = csr_read(mtval), pc = csr_read(mepc);
	bool store = cause == STORE_MISALIGNED;
	uintptr_t bytes, fault, where, value = 0;
	uint32_t instruction, function;
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
			value |= (uintptr_t)*byte_of(&place, i) << 8 * i;
		if (function == 1)
			value = (intptr_t)(int16_t)value;
		else if (function == 2)
			value = (intptr_t)(int32_t)value;
		frame->x[instruction >> 7 & 31] = value;
	}
	csr_write(mepc, pc + 4);
}
