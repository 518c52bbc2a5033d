// SPDX-License-Identifier: BSD-2-Clause
/* Misaligned accesses across the end of a page, with translation on: 4.3 of the privileged specification. */
#include "smode.h"

#define LW_X10_0_X11 0x0005a503
#define SW_X10_0_X11 0x00a5a023
#define LOAD_MISALIGNED 4
#define STORE_MISALIGNED 6
#define LOAD_FAULT 13
#define STORE_FAULT 15

enum { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };
#define DATA (V | R | W | A | D)

#define WINDOW 0x10000000u	/* virtual: two pages that are not adjacent in memory, in reverse order */
#define EDGE (WINDOW + 0x1000)

static uint32_t root[1024] __attribute__((aligned(4096)));
static uint32_t leaves[1024] __attribute__((aligned(4096)));
static uint8_t pages[3][4096] __attribute__((aligned(4096)));

static uint32_t leaf(const void *page, uint32_t bits)
{
	return (uint32_t)page >> 12 << 10 | bits;
}

static void map(uint32_t first, uint32_t second)
{
	leaves[0] = leaf(pages[2], first);
	leaves[1] = leaf(pages[0], second);
	__asm__ volatile("sfence.vma" : : : "memory");
}

static void fill(void)
{
	for (uint32_t i = 0; i < 8; i++) {
		pages[2][4096 - 8 + i] = 0x10 + i;
		pages[0][i] = 0x20 + i;
	}
}

static uint32_t in[32], out[32];

static void access(bool store, uint32_t address)
{
	__asm__ volatile("mv %0, sp" : "=r"(in[2]));
	in[2] -= 1024;
	in[10] = 0xddccbbaa;
	in[11] = address;
	csr_write(scause, store ? STORE_MISALIGNED : LOAD_MISALIGNED);
	csr_write(stval, address);
	execute((uint32_t[]){RETRAP, store ? SW_X10_0_X11 : LW_X10_0_X11}, in, out);
}

/* The access must fault at this address and change nothing. */
static void faults(bool store, uint32_t address, uint32_t where)
{
	uint32_t before = trapped.count;

	fill();
	access(store, address);
	CHECK(trapped.count == before + 1);
	CHECK(trapped.scause == (store ? STORE_FAULT : LOAD_FAULT));
	CHECK(trapped.stval == where && trapped.sepc == (uint32_t)&slot[1] && trapped.sstatus & SPP);
	CHECK(out[10] == in[10]);
	for (uint32_t i = 0; i < 8; i++)
		CHECK(pages[2][4096 - 8 + i] == 0x10 + i && pages[0][i] == 0x20 + i);
}

static void completes(void)
{
	uint32_t before = trapped.count;

	fill();
	access(false, EDGE - 3);
	CHECK(out[10] == 0x20171615);
	access(true, EDGE - 1);
	CHECK(pages[2][4096 - 2] == 0x16 && pages[2][4096 - 1] == 0xaa);
	CHECK(pages[0][0] == 0xbb && pages[0][1] == 0xcc && pages[0][2] == 0xdd && pages[0][3] == 0x23);
	CHECK(trapped.count == before);
}

int main(void)
{
	root[BASE >> 22] = leaf((void *)BASE, DATA | X);
	root[WINDOW >> 22] = leaf(leaves, V);
	csr_write(satp, 1u << 31 | (uint32_t)root >> 12);

	map(DATA, DATA);
	completes();

	/* Each page in turn is missing, read-only, untouched, clean, reserved, or a user's. */
	const uint32_t bad_load[] = {0, R | W | A | D, V | X | A, V | R, V | W | A | D, DATA | U};
	const uint32_t bad_store[] = {0, R | W | A | D, V | R | A | D, V | R | W | D, V | R | W | A, DATA | U};

	for (uint32_t i = 0; i < sizeof(bad_load) / 4; i++) {
		map(bad_load[i], DATA);
		faults(false, EDGE - 3, EDGE - 3);
		map(DATA, bad_load[i]);
		faults(false, EDGE - 3, EDGE);
		map(bad_store[i], DATA);
		faults(true, EDGE - 2, EDGE - 2);
		map(DATA, bad_store[i]);
		faults(true, EDGE - 2, EDGE);
	}
	/* SUM opens a user's pages, MXR those with code. */
	csr_set(sstatus, SUM);
	map(DATA | U, DATA | U);
	completes();
	csr_clear(sstatus, SUM);
	csr_set(sstatus, MXR);
	map(V | X | A, DATA);
	fill();
	access(false, EDGE - 3);
	CHECK(out[10] == 0x20171615);
	csr_clear(sstatus, MXR);
	/* No table below, and a superpage that is none. */
	root[WINDOW >> 22] = 0;
	faults(false, EDGE - 3, EDGE - 3);
	root[WINDOW >> 22] = leaf(leaves, DATA);
	faults(true, EDGE - 3, EDGE - 3);
	print("paging: ok\n");
	return 0;
}
