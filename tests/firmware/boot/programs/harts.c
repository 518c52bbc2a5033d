// SPDX-License-Identifier: BSD-2-Clause
/* The calls of a kernel with SMP, on the only hart: SBI 7 and 8. */
#include "smode.h"

#define IPI 0x735049
#define FENCE 0x52464e43
#define NOT_SUPPORTED (-2)
#define INVALID_PARAM (-3)
#define SSI (1u << 1)
#define ALL 0xffffffffu

enum { V = 1, R = 2, W = 4, X = 8, A = 64, D = 128 };
#define SV32 (1u << 31)
#define WINDOW 0x10000000u

static uint32_t root[1024] __attribute__((aligned(4096)));
static uint32_t leaves[1024] __attribute__((aligned(4096)));
static uint32_t pages[2][1024] __attribute__((aligned(4096)));

static void interrupt(uint32_t mask, uint32_t first)
{
	CHECK(!(csr_read(sip) & SSI));
	CHECK(sbi(IPI, 0, mask, first).error == 0);
	CHECK(csr_read(sip) & SSI);
	csr_clear(sip, SSI);
	CHECK(!(csr_read(sip) & SSI));
}

static uint32_t leaf(const void *page)
{
	return (uint32_t)page >> 12 << 10 | V | R | W | A | D;
}

/* The first access makes the processor remember the page; after the fence it must read the table again. */
static void fence(uint32_t function)
{
	volatile uint32_t *window = (volatile uint32_t *)WINDOW;

	for (uint32_t i = 0; i < 4; i++) {
		leaves[0] = leaf(pages[i % 2]);
		CHECK(sbi(FENCE, function, 1, 0).error == 0);
		CHECK(*window == 100 + i % 2);
	}
}

int main(void)
{
	interrupt(1, 0);
	interrupt(0, ALL);
	CHECK(sbi(IPI, 0, 2, 0).error == INVALID_PARAM && sbi(IPI, 0, 1, 1).error == INVALID_PARAM);
	CHECK(sbi(IPI, 0, 0, 0).error == 0 && !(csr_read(sip) & SSI));
	CHECK(sbi(IPI, 1, 1, 0).error == NOT_SUPPORTED);

	pages[0][0] = 100;
	pages[1][0] = 101;
	root[WINDOW >> 22] = (uint32_t)leaves >> 12 << 10 | V;
	for (uint32_t i = 0x80000000u >> 22; i < (0x81000000u >> 22); i++)
		root[i] = i << 20 | V | R | W | X | A | D;
	csr_write(satp, SV32 | (uint32_t)root >> 12);
	__asm__ volatile("sfence.vma" : : : "memory");
	fence(1);
	fence(2);
	csr_write(satp, 0);
	CHECK(sbi(FENCE, 0, 1, 0).error == 0 && sbi(FENCE, 1, 0, ALL).error == 0);
	CHECK(sbi(FENCE, 1, 2, 0).error == INVALID_PARAM);
	CHECK(sbi(FENCE, 3, 1, 0).error == NOT_SUPPORTED);
	print("harts: ok\n");
	return 0;
}
