// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

#define ILLEGAL 0xffffffffu
#define READ_DSCRATCH0 0x7b202573u /* a CSR of debug mode */
#define EBREAK 0x00100073u

static void traps(uint32_t instruction, uint32_t cause, uint32_t value)
{
	uint32_t in[32], out[32], before = trapped.count;

	for (uint32_t i = 1; i < 32; i++)
		in[i] = 0x01010101 * i;
	/* The handler needs a stack. */
	__asm__ volatile("mv %0, sp" : "=r"(in[2]));
	in[2] -= 1024;
	for (uint32_t interrupts = 0; interrupts < 2; interrupts++) {
		csr_clear(sie, ~0u);
		csr_clear(sstatus, SIE);
		csr_set(sstatus, interrupts ? SIE : 0);
		execute((uint32_t[]){instruction, NOP}, in, out);
		CHECK(trapped.count == ++before);
		CHECK(trapped.scause == cause);
		CHECK(trapped.stval == value);
		CHECK(trapped.sepc == (uint32_t)slot);
		CHECK(trapped.sstatus & SPP);
		CHECK(!(trapped.sstatus & SIE));
		CHECK(!!(trapped.sstatus & SPIE) == interrupts);
		CHECK(!!(csr_read(sstatus) & SIE) == interrupts);
		for (uint32_t i = 1; i < 32; i++)
			CHECK(out[i] == in[i]);
	}
	csr_clear(sstatus, SIE);
}

static void __attribute__((naked)) user_breakpoint(void)
{
	__asm__("ebreak");
}

static void __attribute__((naked)) user_illegal(void)
{
	__asm__(".word 0xffffffff");
}

int main(void)
{
	traps(ILLEGAL, 2, ILLEGAL);
	traps(READ_DSCRATCH0, 2, READ_DSCRATCH0);
	traps(EBREAK, 3, (uint32_t)slot);

	call_user(user_breakpoint);
	CHECK(trapped.scause == 3 && trapped.sepc == (uint32_t)user_breakpoint && !(trapped.sstatus & SPP));
	call_user(user_illegal);
	CHECK(trapped.scause == 2 && trapped.sepc == (uint32_t)user_illegal && !(trapped.sstatus & SPP));
	CHECK(trapped.stval == ILLEGAL);
	print("reflect: ok\n");
	return 0;
}
