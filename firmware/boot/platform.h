/* SPDX-License-Identifier: BSD-2-Clause */
/* What the shim asks of a platform. The values come from litex/config.h or virt/config.h, the calls from *.c there. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <config.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * config.h defines:
 *   RAM_BASE, RAM_BYTES   the shim's own memory: stack and saved registers
 *   KERNEL_ADDRESS        where S mode starts
 *   DTB_ADDRESS           device tree given to it, or 0: the one that was given to the shim in a1
 *   TIME_LOW, TIME_HIGH   words of the 64-bit time
 *   TIMECMP_LOW, TIMECMP_HIGH   words of what the time is compared with: an interrupt is pending while time >= timecmp
 *   TIMER_LATCH           register that, written to, makes TIME_* new and TIMECMP_* valid; 0: they always are
 */

static inline void write_register(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

static inline uint32_t read_register(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

/* Makes memory and console usable, and whatever S mode needs that has no standard way. */
void platform_start(void);

/* The console: sends a byte; gives the next byte received, or -1. */
void platform_putchar(char c);
int platform_getchar(void);

/* Ends or restarts the machine; returns only if it cannot. */
void platform_shutdown(bool failed);
void platform_reboot(void);

#endif
