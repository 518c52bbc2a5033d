// SPDX-License-Identifier: BSD-2-Clause
/* Hart 1 is started, interrupted, stopped and started again; fences reach it: SBI 7, 8 and 9. */
#include "smode.h"

#define IPI 0x735049
#define FENCE 0x52464e43
#define HSM 0x48534d
#define BASE_EXTENSION 0x10
#define PROBE 3
#define INVALID_PARAM (-3)
#define ALREADY_AVAILABLE (-6)
#define SSI (1u << 1)
#define ALL 0xffffffffu
#define OPAQUE 0x1234

enum hsm { START, STOP, STATUS };
enum state { STARTED, STOPPED };
enum { V = 1, R = 2, W = 4, X = 8, A = 64, D = 128 };
#define SV32 (1u << 31)
#define WINDOW 0x10000000u
#define ROUNDS 200

static uint32_t root[1024] __attribute__((aligned(4096)));
static uint32_t leaves[1024] __attribute__((aligned(4096)));
static uint32_t pages[2][1024] __attribute__((aligned(4096)));
static uint32_t stack[1024] __attribute__((aligned(16), used));

/* What hart 1 reports, and what it is to do. */
static volatile uint32_t hart, opaque, seen, interrupts, starts, stop;

/* The order of what the harts tell each other. */
static void fence(void)
{
	__asm__ volatile("fence" : : : "memory");
}

__attribute__((used)) static void second(uint32_t a0, uint32_t a1)
{
	hart = a0;
	opaque = a1;
	csr_write(satp, SV32 | (uint32_t)root >> 12);
	seen = *(volatile uint32_t *)WINDOW;
	fence();
	starts++;
	while (!stop) {
		seen = *(volatile uint32_t *)WINDOW;
		if (csr_read(sip) & SSI) {
			csr_clear(sip, SSI);
			fence();
			interrupts++;
			CHECK(sbi(IPI, 0, 1, 0).error == 0); /* hart 0 waits for it */
		}
	}
	sbi(HSM, STOP, 0, 0);
}

__attribute__((naked)) static void second_start(void)
{
	__asm__("la sp, stack + 4096\n\tj second");
}

static struct result start(uint32_t number)
{
	register uint32_t a0 __asm__("a0") = number;
	register uint32_t a1 __asm__("a1") = (uint32_t)second_start;
	register uint32_t a2 __asm__("a2") = OPAQUE;
	register uint32_t a6 __asm__("a6") = START;
	register uint32_t a7 __asm__("a7") = HSM;

	__asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a6), "r"(a7) : "memory");
	return (struct result){a0, a1};
}

static uint32_t leaf(const void *page)
{
	return (uint32_t)page >> 12 << 10 | V | R | W | A | D;
}

/* After the fence the other hart must read the table again: in two steps, as its access may have begun before. */
static void check_fences(uint32_t function, uint32_t mask, uint32_t first)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		leaves[0] = leaf(pages[i % 2]);
		CHECK(sbi(FENCE, function, mask, first).error == 0);
		seen = 0;
		fence();
		while (!seen)
			;
		seen = 0;
		fence();
		while (!seen)
			;
		CHECK(seen == 100 + i % 2);
	}
}

int main(void)
{
	CHECK(sbi(BASE_EXTENSION, PROBE, HSM, 0).value == 1);
	CHECK(sbi(HSM, STATUS, 0, 0).value == STARTED && sbi(HSM, STATUS, 1, 0).value == STOPPED);
	CHECK(sbi(HSM, STATUS, 2, 0).error == INVALID_PARAM && start(2).error == INVALID_PARAM);
	CHECK(start(0).error == ALREADY_AVAILABLE);

	pages[0][0] = 100;
	pages[1][0] = 101;
	leaves[0] = leaf(pages[1]);
	root[WINDOW >> 22] = (uint32_t)leaves >> 12 << 10 | V;
	for (uint32_t i = 0x80000000u >> 22; i < (0x81000000u >> 22); i++)
		root[i] = i << 20 | V | R | W | X | A | D;

	for (uint32_t round = 1; round <= 3; round++) {
		stop = 0;
		CHECK(start(1).error == 0);
		while (starts != round)
			;
		CHECK(hart == 1 && opaque == OPAQUE && sbi(HSM, STATUS, 1, 0).value == STARTED);
		CHECK(start(1).error == ALREADY_AVAILABLE);
		check_fences(1, 2, 0);
		check_fences(2, 1, 1);
		check_fences(1, 3, 0);
		check_fences(2, 0, ALL);
		CHECK(sbi(FENCE, 0, 3, 0).error == 0);
		CHECK(sbi(FENCE, 1, 4, 0).error == INVALID_PARAM && sbi(FENCE, 1, 2, 1).error == INVALID_PARAM);
		CHECK(sbi(IPI, 0, 4, 0).error == INVALID_PARAM && sbi(IPI, 0, 1, 2).error == INVALID_PARAM);
		for (uint32_t i = 0; i < ROUNDS; i++) {
			uint32_t before = interrupts;

			CHECK(!(csr_read(sip) & SSI));
			CHECK(sbi(IPI, 0, i % 2 ? 2 : 1, i % 2 ? 0 : 1).error == 0);
			while (!(csr_read(sip) & SSI))
				;
			csr_clear(sip, SSI);
			CHECK(interrupts == before + 1);
		}
		stop = 1;
		while (sbi(HSM, STATUS, 1, 0).value != STOPPED)
			;
	}
	print("two harts: ok\n");
	return 0;
}
