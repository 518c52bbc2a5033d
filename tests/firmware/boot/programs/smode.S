/* SPDX-License-Identifier: BSD-2-Clause */
	.section .text.start
	.globl	_start
_start:
	la	sp, stack_top
	la	t0, trap_entry
	csrw	stvec, t0
	call	main
	/* SBI system reset: shutdown, with a reason if main did not return 0. */
	snez	a1, a0
	li	a0, 0
	li	a6, 0
	li	a7, 0x53525354
	ecall
	j	.

	.globl	sbi
sbi:
	mv	a7, a0
	mv	a6, a1
	mv	a0, a2
	mv	a1, a3
	ecall
	ret

	.text
	.balign	4
trap_entry:
	addi	sp, sp, -16
	sw	t0, 0(sp)
	sw	t1, 4(sp)
	la	t0, trapped
	csrr	t1, scause
	sw	t1, 0(t0)
	csrr	t1, stval
	sw	t1, 4(t0)
	csrr	t1, sstatus
	sw	t1, 12(t0)
	lw	t1, 16(t0)
	addi	t1, t1, 1
	sw	t1, 16(t0)
	csrr	t1, sepc
	sw	t1, 8(t0)
	lw	t1, 12(t0)
	andi	t1, t1, 1 << 8		/* SPP */
	beqz	t1, back_from_user
	csrr	t1, scause
	bltz	t1, interrupted
	csrr	t1, sepc
	addi	t1, t1, 4
	csrw	sepc, t1
	j	leave
interrupted:
	li	t0, 1 << 5		/* STIE: one interrupt is enough */
	csrc	sie, t0
leave:
	lw	t0, 0(sp)
	lw	t1, 4(sp)
	addi	sp, sp, 16
	sret

back_from_user:
	la	t0, call_sp
	lw	sp, 0(t0)
	lw	ra, 0(sp)
	addi	sp, sp, 16
	ret

	.globl	call_user
call_user:
	addi	sp, sp, -16
	sw	ra, 0(sp)
	la	t0, call_sp
	sw	sp, 0(t0)
	csrw	sepc, a0
	li	t0, 1 << 8
	csrc	sstatus, t0
	sret

	.macro	each	instruction, base
	.irp	n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	\instruction	x\n, \n*4(\base)
	.endr
	.endm

	.globl	execute
execute:
	addi	sp, sp, -128
	each	sw, sp
	la	t0, execute_sp
	sw	sp, 0(t0)
	la	t0, slot
	lw	t1, 0(a0)
	sw	t1, 0(t0)
	lw	t1, 4(a0)
	sw	t1, 4(t0)
	fence.i
	csrw	sscratch, a2
	mv	x31, a1
	lw	x2, 2*4(x31)
	each	lw, x31
	lw	x31, 31*4(x31)
	.globl	slot
slot:
	nop
	nop
	csrrw	sp, sscratch, sp
	each	sw, sp
	sw	x31, 31*4(sp)
	csrr	x1, sscratch
	sw	x1, 2*4(sp)
	la	sp, execute_sp
	lw	sp, 0(sp)
	each	lw, sp
	addi	sp, sp, 128
	ret

	.bss
	.balign	16
	.globl	trapped
trapped:
	.space	20
call_sp:
	.space	4
execute_sp:
	.space	4
	.balign	16
	.space	8192
stack_top:
