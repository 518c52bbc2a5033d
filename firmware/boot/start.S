/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From reset to S mode. Uses only what VexRiscv `linux` has: no misa, no counters, no PMP; mtvec, medeleg and mideleg
 * are write-only.
 */
#include "asm_config.h"

/*
 * Exceptions that S mode takes itself (Priv 3.1.8): fetch misaligned and access fault (0, 1), load and store access
 * fault (5, 7), call from U (8), page faults (12, 13, 15). The others trap to M mode: illegal instruction (2), because
 * rdtime is one; breakpoint (3), which VexRiscv cannot delegate; misaligned load and store (4, 6); call from S (9).
 */
#define DELEGATED_EXCEPTIONS 0xb1a3
#define DELEGATED_INTERRUPTS 0x222	/* those of S: software, timer, external */
#define MSTATUS_MPP_S (1 << 11)

	.section .text.start
	.globl	_start
_start:
	/* Priv 3.4: after reset the hart is in M mode, interrupts off, translation off; all else is undefined. */
	csrw	mie, zero
	csrw	satp, zero
	la	t0, trap_vector
	csrw	mtvec, t0		/* mode 0, direct: Priv 3.1.7 */
	la	sp, frame
	csrw	mscratch, sp
	li	t0, DELEGATED_EXCEPTIONS
	csrw	medeleg, t0
	li	t0, DELEGATED_INTERRUPTS
	csrw	mideleg, t0

	mv	s1, a1
	call	platform_start
	mv	a1, s1
#if DTB_ADDRESS
	li	a1, DTB_ADDRESS
#endif

	/* Linux (Documentation/riscv/boot.rst): a0 is the hart's number, a1 the device tree. */
	li	a0, 0
	li	t0, KERNEL_ADDRESS
	csrw	mepc, t0
	li	t0, MSTATUS_MPP_S
	csrw	mstatus, t0
	mret
