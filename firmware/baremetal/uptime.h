/* SPDX-License-Identifier: BSD-2-Clause */
/* Clock cycles since reset. */
#ifndef LITEMRC_UPTIME_H
#define LITEMRC_UPTIME_H

#include <generated/csr.h>
#include <stdint.h>

static inline uint64_t uptime_cycles(void)
{
	timer0_uptime_latch_write(1);
	return timer0_uptime_cycles_read();
}

#endif
