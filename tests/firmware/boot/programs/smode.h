/* SPDX-License-Identifier: BSD-2-Clause */
/* For test programs in S mode: SBI calls, the last trap, and single instructions with chosen registers. */
#ifndef SMODE_H
#define SMODE_H

#include <stdbool.h>
#include <stdint.h>

struct result {
	int32_t error;
	uint32_t value;
};

/* smode.S */
struct result sbi(uint32_t extension, uint32_t function, uint32_t a0, uint32_t a1);
/* Runs two instructions with the registers `in`; stores the resulting registers in `out`. x0 is not used. */
void execute(const uint32_t instructions[2], const uint32_t in[32], uint32_t out[32]);
extern uint32_t slot[2];	/* where execute() puts them */
/* Calls `program` in U mode; returns at its first trap. */
void call_user(void (*program)(void));

/* The last trap to S mode, and the number of traps. Execution continues after the instruction of an exception. */
struct trapped {
	uint32_t scause, stval, sepc, sstatus, count;
};
extern volatile struct trapped trapped;

int main(void);

#define csr_read(csr)                                               \
	({                                                          \
		uint32_t value_;                                    \
		__asm__ volatile("csrr %0, " #csr : "=r"(value_)); \
		value_;                                             \
	})
#define csr_write(csr, value) __asm__ volatile("csrw " #csr ", %0" : : "r"(value))
#define csr_set(csr, bits) __asm__ volatile("csrs " #csr ", %0" : : "r"(bits))
#define csr_clear(csr, bits) __asm__ volatile("csrc " #csr ", %0" : : "r"(bits))

#define SIE (1u << 1)
#define SPIE (1u << 5)
#define SPP (1u << 8)
#define SUM (1u << 18)
#define MXR (1u << 19)
#define STI (1u << 5)

/* Prints the failed condition and ends the machine with status 1. */
void check(bool good, const char *text);
#define CHECK(condition) check(condition, #condition)

void print(const char *text);
uint64_t now(void);

#define NOP 0x00000013
/*
 * An instruction for the shim of the tests: treat the next one as if it had trapped with scause and stval. For a
 * processor that traps by itself, compile with -DRETRAP=NOP.
 */
#ifndef RETRAP
#define RETRAP 0x0000000b
#endif

#endif
