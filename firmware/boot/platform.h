/* SPDX-License-Identifier: BSD-2-Clause */
/* What a platform provides: values in litex/config.h or virt/config.h, functions in platform.c beside it. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <config.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * config.h defines:
 *   RAM_BASE, RAM_BYTES   the shim's own memory: stack and saved registers
 *   KERNEL_ADDRESS        where S mode starts
 *   DTB_ADDRESS           device tree for S mode; 0: the one passed to the shim in a1
 *   TIME_LOW, TIME_HIGH   words of the 64-bit time
 *   TIMECMP_LOW, TIMECMP_HIGH   words of the compare value: an interrupt is pending while time >= timecmp
 *   TIMER_LATCH           register: a write updates TIME_* and makes TIMECMP_* effective; 0: no latch
 *   HARTS                 how many; others wait forever
 *   MSIP                  with several harts, the CLINT's register of hart 0 for software interrupts; TIMECMP_* are also hart 0's
 */

#define PMP_NAPOT_RWX 0x1f

static inline void write_register(uintptr_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

static inline uint32_t read_register(uintptr_t address)
{
	return *(volatile uint32_t *)address;
}

/* Priv 3.7.1: with physical memory protection (PMP) and no entry that matches, S and U mode may access nothing. */
static inline void open_physical_memory(void)
{
	__asm__ volatile("csrw pmpaddr0, %0\n\tcsrw pmpcfg0, %1" : : "r"(0xffffffff), "r"(PMP_NAPOT_RWX));
}

/* Prepares what S mode cannot prepare in a standard way: on each hart its own, on hart 0 also memory and console. */
void platform_start(uintptr_t hart);

/* The console: sends a byte; returns the next byte received, or -1. */
void platform_putchar(char c);
int platform_getchar(void);

/* Ends or restarts the machine; returns only if it cannot. */
void platform_shutdown(bool failed);
void platform_reboot(void);

#endif
