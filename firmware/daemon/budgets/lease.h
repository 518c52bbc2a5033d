/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of a host that sets budgets: if the host vanishes, its budgets are lifted when the lease ends. */
#ifndef LITEMRCD_LEASE_H
#define LITEMRCD_LEASE_H

#include <stdint.h>

/* Starts or renews the lease, in cycles of the SoC; 0 ends it now. */
void lease_set(uint32_t cycles);

/* Ends the lease if it has expired, and reports that to the host. */
void lease_progress(void);

/* Time until lease_progress() must be called, in ms; -1: no limit. */
int lease_patience_ms(void);

#endif
