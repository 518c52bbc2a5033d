// SPDX-License-Identifier: BSD-2-Clause
/* Serves a trap to M mode, or reflects it to S mode. */
#include <platform.h>
#include <shim.h>

#define EBREAK 0x00100073u

static void print(const char *text)
{
	while (*text)
		platform_putchar(*text++);
}

static void print_hex(const char *name, uintptr_t value)
{
	print(name);
	for (int shift = __riscv_xlen - 4; shift >= 0; shift -= 4)
		platform_putchar("0123456789abcdef"[value >> shift & 15]);
}

/* The shim itself trapped: there is no lower level that could continue. */
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
	uintptr_t cause = csr_read(mcause), value = csr_read(mtval);

	if ((csr_read(mstatus) & MSTATUS_MPP) == MSTATUS_MPP_M)
		give_up();
	switch (cause) {
	case MACHINE_SOFTWARE_INTERRUPT:
		harts_serve();
		break;
	case MACHINE_TIMER_INTERRUPT:
		/* Priv 3.1.9: M mode makes S mode's timer interrupt pending; SBI set_timer clears it. */
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
		 * Without debug hardware VexRiscv reports ebreak as illegal; Linux's BUG and WARN expect a breakpoint. stval may
		 * be 0 or the address (Priv 4.1.9); it is always the address here.
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
