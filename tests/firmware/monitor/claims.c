// SPDX-License-Identifier: BSD-2-Clause
/*
 * monitor_claim() on a monitor whose command queue takes a command at every PENDING_READS-th reading of its status:
 * claims FIRST COUNT CONTEXT. Whenever the queue was empty, the service's interrupt writes a command, too. Prints the
 * words written to the register, and last how many commands were lost or still wait.
 */
#include <stdio.h>
#include <stdlib.h>

#include "monitor.h"

#define COMMANDS_LOG2 2u
#define PENDING_READS 3u

uint32_t dram_base;
static unsigned int waiting, reads, lost;

uint32_t csr_read_simple(unsigned long address)
{
	switch (address - CSR_MRC_BASE) {
	case LITEMRC_STACK_CAPABILITIES:
		return COMMANDS_LOG2 << LITEMRC_STACK_CAPABILITIES_COMMANDS_LOG2_SHIFT;
	case LITEMRC_STATUS:
		if (++reads % PENDING_READS == 0 && waiting)
			waiting--;
		return waiting ? LITEMRC_STATUS_COMMAND_PENDING : 0;
	}
	return 0;
}

void csr_write_simple(uint32_t value, unsigned long address)
{
	if (address - CSR_MRC_BASE != LITEMRC_CLAIM)
		exit(1);
	if (!waiting)
		waiting++;
	if (waiting == 1u << COMMANDS_LOG2)
		lost++;
	else
		waiting++;
	printf("%u ", value);
}

void registers_open(struct register_device *device)
{
	(void)device;
}

void epochs_keep_settings(void)
{
}

uint32_t ranks_live_pages(struct register_device *device, uint32_t domain)
{
	(void)device;
	return domain;
}

bool ranks_runs_from(struct register_device *device, uint32_t domain)
{
	(void)device;
	return domain;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 1;
	waiting = 1;
	monitor_claim(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
	printf("%u\n", lost + waiting);
	return 0;
}
