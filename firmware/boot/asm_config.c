// SPDX-License-Identifier: BSD-2-Clause
/* The values of config.h as plain numbers for assembler and linker: the Makefile extracts them from the assembly. */
#include <config.h>
#include <stdint.h>

#define SHOW(name) __asm__ volatile("\n->#define " #name " %0" : : "i"((uintptr_t)(name)))

void show(void);
void show(void)
{
	SHOW(CODE_BASE);
	SHOW(CODE_BYTES);
	SHOW(RAM_BASE);
	SHOW(RAM_BYTES);
	SHOW(KERNEL_ADDRESS);
	SHOW(DTB_ADDRESS);
	SHOW(TIME_LOW);
	SHOW(TIME_HIGH);
	SHOW(TIMER_LATCH);
	SHOW(HARTS);
}
