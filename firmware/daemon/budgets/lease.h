/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lease of a host that governs: its time, and the budgets set under it. When it ends, memory.high and memory.low of
 * each cgroup are as they were before the host's first budget under the lease.
 */
#ifndef LITEMRCD_LEASE_H
#define LITEMRCD_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "budgets/groups.h"
#include "device.h"

/* The operations `lease` and `end_lease` of the device. */
void lease_set(struct device *device, uint32_t cycles);
void lease_restore(struct device *device);

/* Under a lease: keeps the cgroup's present limits, to restore them. Returns 0 or -errno. */
int lease_keep(const struct group *group);

/* Whether a budget of this listed cgroup was set under the lease. */
bool lease_governs(uint32_t listed);

/* Ends the lease if it has expired, and reports that to the host. */
void lease_progress(struct device *device);

/* Time until lease_progress() must be called, in ms; -1: no limit. */
int lease_timeout_ms(const struct device *device);

#endif
