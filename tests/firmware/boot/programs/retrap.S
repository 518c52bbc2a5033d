/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linked before the shim's trap_vector by the tests (ld --wrap): qemu completes misaligned accesses itself, so an
 * S-mode program requests the trap. RETRAP makes the next instruction trap with the cause and value that the program
 * put into scause and stval. The shim itself is unchanged.
 */
#define RETRAP 0x0000000b
#define ILLEGAL_INSTRUCTION 2

	.text
	.balign	4
	.globl	__wrap_trap_vector
__wrap_trap_vector:
	csrrw	sp, mscratch, sp
	sw	t0, 5*4(sp)
	sw	t1, 6*4(sp)
	csrr	t0, mcause
	li	t1, ILLEGAL_INSTRUCTION
	bne	t0, t1, pass
	csrr	t0, mtval
	li	t1, RETRAP
	bne	t0, t1, pass
	csrr	t0, mepc
	addi	t0, t0, 4
	csrw	mepc, t0
	csrr	t0, scause
	csrw	mcause, t0
	csrr	t0, stval
	csrw	mtval, t0
pass:
	lw	t0, 5*4(sp)
	lw	t1, 6*4(sp)
	csrrw	sp, mscratch, sp
	j	__real_trap_vector
