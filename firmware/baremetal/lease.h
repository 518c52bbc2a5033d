/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lease of a host that sets rank policy, working set and budgets. When it ends, because the host ends it or has
 * vanished, policy and working set are restored and all budgets are lifted.
 */
#ifndef LITEMRC_LEASE_H
#define LITEMRC_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* on_end is called when a lease expires, with interrupts off. */
void lease_init(void (*on_end)(void));

/* Starts or renews the lease; 0 ends it now. Call with interrupts off. */
void lease_set(uint32_t cycles);

#endif
