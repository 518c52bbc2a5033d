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

	.section .text.start
	.globl	_start
_start:
	/* Priv 3.4: after reset the hart is in M mode, interrupts off, translation off; all else is undefined. */
	csrw	mie, zero
	csrw	satp, zero
	la	t0, trap_vector
	csrw	mtvec, t0		/* mode 0, direct: Priv 3.1.7 */
	la	sp, frame
#if HARTS > 1
	csrr	a0, mhartid
	li	t0, HARTS
	bgeu	a0, t0, no_hart
	li	t0, RAM_BYTES / (2 * HARTS)	/* the lower half is that of harts.c */
	mul	t0, t0, a0
	sub	sp, sp, t0
#else
	li	a0, 0
#endif
	csrw	mscratch, sp
	li	t0, DELEGATED_EXCEPTIONS
	csrw	medeleg, t0
	li	t0, DELEGATED_INTERRUPTS
	csrw	mideleg, t0

	tail	harts_begin

#if HARTS > 1
no_hart:
	wfi
	j	no_hart
#endif
