/* SPDX-License-Identifier: BSD-2-Clause */
/* Clock cycles since reset. */
#ifndef LITEMRC_UPTIME_H
#define LITEMRC_UPTIME_H

#include <generated/csr.h>
#include <irq.h>
#include <stdint.h>

static inline uint64_t uptime_cycles(void)
{
	uint64_t cycles;
	unsigned int enabled = irq_getie();

	irq_setie(0);	/* handlers latch, too */
	timer0_uptime_latch_write(1);
	cycles = timer0_uptime_cycles_read();
	irq_setie(enabled);
	return cycles;
}

#endif
