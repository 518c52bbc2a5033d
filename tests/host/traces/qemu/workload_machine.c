// SPDX-License-Identifier: BSD-2-Clause
/* The firmware's programs on QEMU's board virt, in the order and at the offsets in DRAM that main.c gives them. */
#include "workload.h"

#define MEMORY ((uint8_t *)0x81000000)

__asm__(".section .text\n"
	".globl _start\n"
	"_start: li sp, 0x80100000\n"
	"	j run\n");

__attribute__((noreturn, used)) void run(void)
{
	static volatile uint32_t *const finisher = (uint32_t *)0x100000;
	uint8_t *memory = MEMORY;

	zipf_run(memory, 1);
	memory += ZIPF_PAGES * PAGE_BYTES;
	loop_run(memory, 1);
	memory += LOOP_PAGES * PAGE_BYTES;
	phases_run(memory, 1);
	memory += PHASES_PAGES * PAGE_BYTES;
	chase_run(memory, 1);
	memory += CHASE_PAGES * PAGE_BYTES;
	matmul_run(memory, 1);
	*finisher = 0x5555;
	for (;;)
		;
}
