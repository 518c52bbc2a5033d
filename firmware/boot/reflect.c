// SPDX-License-Identifier: BSD-2-Clause
/* Hands a trap to S mode as if it had been delegated. */
#include <shim.h>

#define STVEC_BASE (~(uintptr_t)3)

/*
 * Priv 3.1.6.1 and 4.1.1: does in M mode what the hardware does on a trap to S mode. The interrupted privilege and SIE
 * move into SPP and SPIE; S mode continues at the base of stvec (exceptions are never vectored, 4.1.2).
 */
void reflect(uintptr_t cause, uintptr_t value)
{
	uintptr_t mstatus = csr_read(mstatus);
	uintptr_t changed = mstatus & ~(uintptr_t)(MSTATUS_SPP | MSTATUS_SPIE | MSTATUS_SIE | MSTATUS_MPP);

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
