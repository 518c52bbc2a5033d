/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry of every trap to M mode. mscratch holds the address of the frame where registers are saved; the stack of
 * trap() grows down from there.
 *
 * rdtime and rdtimeh are served here with only three registers saved: Linux reads the time at every tick, system
 * call and context switch, on 32 bits with three reads. On 64 bits TIME_LOW is one register of 64 bits.
 */
#include "asm_config.h"

#define ILLEGAL_INSTRUCTION 2
#define OPCODE_SYSTEM 0x73
#define RDTIME 0xc0102		/* csrrs rd, time, x0 without rd and opcode: Unpriv 10.1 */
#define RDTIMEH 0xc8102
#if __riscv_xlen == 64
#define LOAD ld
#define STORE sd
#define BYTES 8
#else
#define LOAD lw
#define STORE sw
#define BYTES 4
#endif

	.text
	.balign	4
	.globl	trap_vector
trap_vector:
	csrrw	sp, mscratch, sp
	STORE	a0, 10*BYTES(sp)
	STORE	a1, 11*BYTES(sp)
	STORE	a2, 12*BYTES(sp)
	csrr	a0, mcause
	li	a1, ILLEGAL_INSTRUCTION
	bne	a0, a1, others
	csrr	a0, mtval		/* Priv 3.1.16: the instruction, on both platforms */
	andi	a1, a0, 0x7f
	li	a2, OPCODE_SYSTEM
	bne	a1, a2, others
	srli	a1, a0, 12
	li	a2, RDTIME
	beq	a1, a2, low
#if __riscv_xlen == 64
	j	others
#else
	li	a2, RDTIMEH
	bne	a1, a2, others
#if TIMER_LATCH
	li	a2, TIMER_LATCH
	sw	zero, 0(a2)
#endif
	li	a2, TIME_HIGH
	j	read
#endif
low:
#if TIMER_LATCH
	li	a2, TIMER_LATCH
	sw	zero, 0(a2)
#endif
	li	a2, TIME_LOW
read:
	LOAD	a1, 0(a2)

	/* Eight bytes of code per register; bits 11:7 of the instruction are its number. */
	srli	a0, a0, 4
	andi	a0, a0, 31 << 3
	la	a2, set_register
	add	a2, a2, a0
	jr	a2

	.macro	set_x	numbers:vararg
	.irp	n, \numbers
	mv	x\n, a1
	j	timed
	.endr
	.endm
set_register:
	nop
	j	timed
	set_x	1
	csrw	mscratch, a1		/* x2: restored from there */
	j	timed
	set_x	3, 4, 5, 6, 7, 8, 9
	STORE	a1, 10*BYTES(sp)		/* x10 to x12: restored from the frame */
	j	timed
	STORE	a1, 11*BYTES(sp)
	j	timed
	STORE	a1, 12*BYTES(sp)
	j	timed
	set_x	13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
timed:
	csrr	a0, mepc
	addi	a0, a0, 4
	csrw	mepc, a0
	LOAD	a0, 10*BYTES(sp)
	LOAD	a1, 11*BYTES(sp)
	LOAD	a2, 12*BYTES(sp)
	csrrw	sp, mscratch, sp
	mret

	.macro	each_register	instruction
	\instruction	x1, 1*BYTES(sp)
	.irp	n, 3, 4, 5, 6, 7, 8, 9
	\instruction	x\n, \n*BYTES(sp)
	.endr
	.irp	n, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\instruction	x\n, \n*BYTES(sp)
	.endr
	.endm
others:
	each_register	STORE
	csrrw	a0, mscratch, sp	/* a trap inside trap() would reuse the frame; give_up() ends it */
	STORE	a0, 2*BYTES(sp)
	mv	a0, sp
	call	trap
	each_register	LOAD
	LOAD	a0, 10*BYTES(sp)
	LOAD	a1, 11*BYTES(sp)
	LOAD	a2, 12*BYTES(sp)
	LOAD	sp, 2*BYTES(sp)
	mret
