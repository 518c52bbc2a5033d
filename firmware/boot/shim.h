/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interfaces between the shim's files. "Priv" is the RISC-V privileged specification, version 1.12 (20211203);
 * "SBI" is the supervisor binary interface, version 1.0.
 */
#ifndef SHIM_H
#define SHIM_H

#include <stdbool.h>
#include <stdint.h>

/* Priv 3.1.6: fields of mstatus. */
#define MSTATUS_SIE (1u << 1)
#define MSTATUS_SPIE (1u << 5)
#define MSTATUS_SPP (1u << 8)
#define MSTATUS_MPP (3u << 11)
#define MSTATUS_MPP_U (0u << 11)
#define MSTATUS_MPP_S (1u << 11)
#define MSTATUS_MPP_M (3u << 11)
#define MSTATUS_SUM (1u << 18)
#define MSTATUS_MXR (1u << 19)

/* Priv 3.1.9: interrupts in mie and mip. */
#define INTERRUPT_SSI (1u << 1)
#define INTERRUPT_MSI (1u << 3)
#define INTERRUPT_STI (1u << 5)
#define INTERRUPT_MTI (1u << 7)

/* Priv 3.1.15, table 3.6: causes. */
enum cause {
	ILLEGAL_INSTRUCTION = 2,
	BREAKPOINT = 3,
	LOAD_MISALIGNED = 4,
	STORE_MISALIGNED = 6,
	ECALL_FROM_S = 9,
	LOAD_PAGE_FAULT = 13,
	STORE_PAGE_FAULT = 15,
};
#define INTERRUPT_CAUSE ((uintptr_t)1 << (__riscv_xlen - 1))
#define MACHINE_SOFTWARE_INTERRUPT (INTERRUPT_CAUSE | 3)
#define MACHINE_TIMER_INTERRUPT (INTERRUPT_CAUSE | 7)

/* SBI 3, table 1. */
#define SBI_SUCCESS 0
#define SBI_ERR_FAILED (-1)
#define SBI_ERR_NOT_SUPPORTED (-2)
#define SBI_ERR_INVALID_PARAM (-3)
#define SBI_ERR_ALREADY_AVAILABLE (-6)
#define ALL_HARTS UINTPTR_MAX

#define csr_read(csr)                                               \
	({                                                          \
		uintptr_t value_;                                   \
		__asm__ volatile("csrr %0, " #csr : "=r"(value_)); \
		value_;                                             \
	})
#define csr_write(csr, value) __asm__ volatile("csrw " #csr ", %0" : : "r"(value))
#define csr_set(csr, bits) __asm__ volatile("csrs " #csr ", %0" : : "r"(bits))
#define csr_clear(csr, bits) __asm__ volatile("csrc " #csr ", %0" : : "r"(bits))

/* The registers of the code that trapped; x[0] is never read. */
struct frame {
	uintptr_t x[32];
};

enum { A0 = 10, A1 = 11, A6 = 16, A7 = 17 };

/* trap.c: called by trap_entry.S with all registers saved; execution continues at mepc. */
void trap(struct frame *frame);

/* reflect.c: makes S mode take the trap at mepc, with this scause and stval. */
void reflect(uintptr_t cause, uintptr_t value);

/* sbi.c: serves the call in a7 and a6; the result is in a0 and a1. */
void sbi_call(struct frame *frame);

/* harts.c: from reset to S mode, called by start.S on each hart. */
void harts_begin(uintptr_t hart, uintptr_t device_tree);

/* harts.c: the number of the hart that runs this; serves what other harts have asked of it. */
uintptr_t hart_number(void);
void harts_serve(void);

/* harts.c: calls of SBI 7 to 9; they return an error of SBI, hart_stop() never. */
int32_t send_ipi(uintptr_t mask, uintptr_t first);
int32_t remote_fence(uintptr_t function, uintptr_t mask, uintptr_t first);
int32_t hart_start(uintptr_t hart, uintptr_t address, uintptr_t opaque);
_Noreturn void hart_stop(void);
int32_t hart_state(uintptr_t hart, uintptr_t *state);

/* misaligned.c: completes the load or store at mepc, or reflects its trap. */
void misaligned(struct frame *frame);

/* translate.c: translates a virtual address at the privilege of the code that trapped; false: a page fault. */
enum access { FETCH, LOAD, STORE };
bool translate(uintptr_t address, enum access access, uintptr_t *physical);

#endif
