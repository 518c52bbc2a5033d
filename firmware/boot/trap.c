// SPDX-License-Identifier: BSD-2-Clause
/* What is done about a trap to M mode: serve it, or hand it to S mode as if it had been delegated. */
#include <platform.h>
#include <shim.h>

#define EBREAK 0x00100073u
#define STVEC_BASE (~3u)

/*
 * Priv 3.1.6.1 and 4.1.1: what the hardware does when it traps to S mode, done from M mode. The interrupted
 * privilege and SIE move into SPP and SPIE; S mode goes on at the base of stvec (exceptions are never vectored, 4.1.2).
 */
void reflect(uint32_t cause, uint32_t value)
{
	uint32_t mstatus = csr_read(mstatus);
	uint32_t changed = mstatus & ~(MSTATUS_SPP | MSTATUS_SPIE | MSTATUS_SIE | MSTATUS_MPP);

	if ((mstatus & MSTATUS_MPP) == MSTATUS_MPP_S)
		changed |= MSTATUS_SPP;
	if (mstatus & MSTATUS_SIE)
		changed |= MSTATUS_SPIE;
	csr_write(sepc, csr_read(mepc));
	csr_write(scause, cause);
	csr_write(stval, value);
	csr_write(mepc, csr_read(stvec) & STVEC_BASE);
	csr_write(mstatus, changed | MSTATUS_MPP_S);
}

static void print(const char *text)
{
	while (*text)
		platform_putchar(*text++);
}

static void print_hex(const char *name, uint32_t value)
{
	print(name);
	for (int shift = 28; shift >= 0; shift -= 4)
		platform_putchar("0123456789abcdef"[value >> shift & 15]);
}

/* The shim itself trapped: nothing below it could go on. */
static void give_up(void)
{
	print("\r\nshim: trap in M mode:");
	print_hex(" mcause ", csr_read(mcause));
	print_hex(" mepc ", csr_read(mepc));
	print_hex(" mtval ", csr_read(mtval));
	print("\r\n");
	platform_shutdown(true);
	for (;;)
		;
}

void trap(struct frame *frame)
{
	uint32_t cause = csr_read(mcause), value = csr_read(mtval);

	if ((csr_read(mstatus) & MSTATUS_MPP) == MSTATUS_MPP_M)
		give_up();
	switch (cause) {
	case MACHINE_TIMER_INTERRUPT:
		/* Priv 3.1.9: M mode makes S mode's timer interrupt pending; SBI set_timer takes it back. */
		csr_clear(mie, INTERRUPT_MTI);
		csr_set(mip, INTERRUPT_STI);
		break;
	case ECALL_FROM_S:
		csr_write(mepc, csr_read(mepc) + 4);
		sbi_call(frame);
		break;
	case LOAD_MISALIGNED:
	case STORE_MISALIGNED:
		misaligned(frame);
		break;
	case ILLEGAL_INSTRUCTION:
	case BREAKPOINT:
		/*
		 * To VexRiscv without debug hardware ebreak is illegal; Linux's BUG and WARN wait for a breakpoint. Its value
		 * may be 0 or the address (Priv 4.1.9): here always the address.
		 */
		if (cause == BREAKPOINT || value == EBREAK)
			reflect(BREAKPOINT, csr_read(mepc));
		else
			reflect(cause, value);
		break;
	default:
		reflect(cause, value);
	}
}
