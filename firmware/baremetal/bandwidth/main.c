// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs LiteX's memspeed() and the kernels, each in an epoch of the monitor, and prints a line of each. Code and stack
 * are in ROM and SRAM: only the kernels' data are in the DRAM.
 */
#include <generated/sdram_phy.h>
#include <irq.h>
#include <libbase/uart.h>
#include <liblitedram/sdram.h>
#include <stdio.h>
#include <system.h>

#include "epoch.h"
#include "kernels.h"
#include "mem_speed.h"
#include "uptime.h"

static void measure(const struct kernel *kernel)
{
	uint64_t start, cycles;
	struct epoch epoch;

	if (kernel->prepare)
		kernel->prepare();
	flush_cpu_dcache();
	flush_l2_cache();
	epoch_begin();
	irq_setie(0);
	start = uptime_cycles();
	kernel->run();
	cycles = uptime_cycles() - start;
	epoch = epoch_end();
	irq_setie(1);
	printf("%s %lu %lu %lu ", kernel->name, (unsigned long)kernel->loaded, (unsigned long)kernel->stored,
	       (unsigned long)cycles);
	epoch_print(&epoch);
}

int main(void)
{
	irq_setmask(0);
	irq_setie(1);
	uart_init();
	sdram_software_control_on();
	init_sequence();
	sdram_software_control_off();
	epoch_init();
	printf("name loaded stored cycles epoch_cycles reads writes row_hits activates row_conflicts refreshes\n");
	mem_speed();
	for (unsigned int i = 0; i < kernel_count; i++)
		measure(&kernels[i]);
	printf("done\n");
	uart_sync();
	for (;;)
		;
}
