// SPDX-License-Identifier: BSD-2-Clause
/*
 * The program that a simulator runs while its build measures which branches are taken: any variant's ROM.
 *
 * Scans, random reads and writes and a chain of pointers in DRAM, beyond the L2 cache, with the monitor on and short epochs;
 * between them computation from SRAM, bytes and half-words, and traps. It never ends.
 */
#include <stdint.h>

#include <generated/soc.h> /* before LiteX's other headers, which use it for Rocket */
#include <generated/mem.h>
#include <generated/sdram_phy.h>

#include "litemrc_regs.h"

#define WORDS (1u << 18) /* 1 MB */
#define EPOCH_ACCESSES 4096
#define ROUND 20000

#ifdef CONFIG_CPU_COUNT /* each hart runs it, with 1 KB of stack */
#define STACK "csrr t0, mhartid\n\tslli t0, t0, 10\n\tsub sp, sp, t0\n\t"
#else
#define STACK
#endif

/* The ROM's first instructions: the linker puts .text.startup before .text. */
__attribute__((naked, section(".text.startup"))) void start(void)
{
	__asm__("la sp, stack_end\n\t" STACK "j run");
}

/* Returns to what follows the ecall. */
__attribute__((naked, aligned(4))) static void trap(void)
{
	__asm__("csrr t0, mepc\n\taddi t0, t0, 4\n\tcsrw mepc, t0\n\tmret");
}

static volatile uint32_t *monitor_register(uint32_t offset)
{
	return (volatile uint32_t *)(CSR_MRC_BASE + offset);
}

static uint32_t next_random(uint32_t state)
{
	return state * 1664525u + 1013904223u;
}

__attribute__((used)) void run(void)
{
	volatile uint32_t *memory = (volatile uint32_t *)MAIN_RAM_BASE;
	uint32_t random = 1, sum = 0;

	__asm__ volatile("csrw mtvec, %0" ::"r"(trap));
	init_sequence();
	sdram_dfii_control_write(DFII_CONTROL_SEL);
	*monitor_register(LITEMRC_EPOCH_LENGTH) = EPOCH_ACCESSES;
	if (*monitor_register(LITEMRC_STACK_CAPABILITIES) & LITEMRC_STACK_CAPABILITIES_HOT_PAGES_LOG2)
		*monitor_register(LITEMRC_HOT_CONTROL) =
			LITEMRC_HOT_CONTROL_ENABLE | LITEMRC_HOT_CONTROL_READS | LITEMRC_HOT_CONTROL_WRITES;
	*monitor_register(LITEMRC_CONTROL) = LITEMRC_CONTROL_ENABLE | LITEMRC_CONTROL_EPOCH_UNIT;
	for (;;) {
		for (uint32_t i = 0; i < ROUND; i++)
			sum += memory[i];
		for (uint32_t i = 0; i < ROUND; i++) {
			random = next_random(random);
			if (random & 1 << 30)
				memory[random % WORDS] = sum;
			else
				sum ^= memory[random % WORDS];
		}
		for (uint32_t i = 0, at = 0; i < ROUND; i++) {
			uint32_t seen = memory[at % WORDS];

			at = next_random(at + (seen & 1));
		}
		for (uint32_t i = 1; i < 4 * ROUND; i++)
			sum += sum / i + (sum >> (i & 15));
		for (uint32_t i = 0; i < ROUND / 16; i++) {
			((volatile uint8_t *)memory)[sum % WORDS] = i;
			sum += ((volatile int16_t *)memory)[i] + ((volatile int8_t *)memory)[sum % WORDS];
			__asm__ volatile("ecall" ::: "t0", "memory");
		}
	}
}
