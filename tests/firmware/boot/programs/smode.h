/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test program in S mode has: SBI calls, the last trap, and single instructions with registers of its choice. */
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
/* Runs two instructions with the registers `in`; puts those they left into `out`. x0 is not used. */
void execute(const uint32_t instructions[2], const uint32_t in[32], uint32_t out[32]);
extern uint32_t slot[2];	/* where execute() puts them */
/* Calls `program` in U mode; returns at its first trap. */
void call_user(void (*program)(void));

/* The last trap to S mode, and how many there were. An exception continues behind its instruction. */
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

/* Says what failed, and ends the machine with 1. */
void check(bool good, const char *text);
#define CHECK(condition) check(condition, #condition)

void print(const char *text);
uint64_t now(void);

#define NOP 0x00000013
/*
 * An instruction for the shim of the tests: act on the next one as if it had trapped, as scause and stval say. On a
 * processor that traps there, compile with -DRETRAP=NOP.
 */
#ifndef RETRAP
#define RETRAP 0x0000000b
#endif

#endif
