// SPDX-License-Identifier: BSD-2-Clause
/*
 * memspeed() prints its title, writes, prints the speed, flushes the caches, reads, and prints the speed. The linker
 * passes its calls of printf() and flush_l2_cache() to the wrappers here, which begin and end epochs.
 */
#include "mem_speed.h"

#include <libbase/memtest.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <system.h>

#include "epoch.h"

#define ADDRESS 0x40100000u
#define BYTES 0x80000u	/* 64 times the L2 cache: the lines that stay in it are 1.6 % */

static bool measuring;
static struct epoch written, flushed, read;

int __wrap_printf(const char *format, ...);
void __real_flush_l2_cache(void);
void __wrap_flush_l2_cache(void);

int __wrap_printf(const char *format, ...)
{
	va_list arguments;
	int printed;

	if (measuring && strcmp(format, "  Write speed: ") == 0)
		written = epoch_end();
	if (measuring && strcmp(format, "   Read speed: ") == 0)
		read = epoch_end();
	va_start(arguments, format);
	printed = vprintf(format, arguments);
	va_end(arguments);
	if (measuring && strcmp(format, ")...\n") == 0)
		epoch_begin();
	return printed;
}

void __wrap_flush_l2_cache(void)
{
	if (measuring)
		epoch_begin();
	__real_flush_l2_cache();
	if (measuring) {
		flushed = epoch_end();
		epoch_begin();
	}
}

void mem_speed(void)
{
	flush_cpu_dcache();
	flush_l2_cache();
	measuring = true;
	memspeed((unsigned int *)ADDRESS, BYTES, false, false);
	measuring = false;
	printf("mem_speed_write 0 %u 0 ", BYTES);
	epoch_print(&written);
	printf("mem_speed_flush 0 0 0 ");
	epoch_print(&flushed);
	printf("mem_speed_read %u 0 0 ", BYTES);
	epoch_print(&read);
}
