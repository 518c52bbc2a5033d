/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lease of a host that governs. When it ends, memory.high and memory.low of each cgroup are as they were before the
 * host's first budget under the lease; policy and working set of the ranks are as they were when it began.
 */
#ifndef LITEMRCD_LEASE_H
#define LITEMRCD_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "budgets/groups.h"

/* Starts or renews the lease, in cycles of the SoC; 0 ends it now. */
void lease_set(uint32_t cycles);

bool lease_held(void);

/* Keeps the cgroup's present limits, to restore them; without a lease nothing is kept. Returns 0 or -errno. */
int lease_keep(const struct group *group);

/* Whether a budget of this listed cgroup was set under the lease. */
bool lease_governs(uint32_t listed);

/* Ends the lease if it has expired, and reports that to the host. */
void lease_progress(void);

/* Restores what the lease changed; when the daemon ends. */
void lease_end(void);

/* Time until lease_progress() must be called, in ms; -1: no limit. */
int lease_timeout_ms(void);

#endif
