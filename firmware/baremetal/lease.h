/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that governs may vanish: what it set of rank policy, working set and budgets holds as long as its lease. Then
 * policy and working set are what they were before, and no task has a budget.
 */
#ifndef LITEMRC_LEASE_H
#define LITEMRC_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* on_end is called, with interrupts off, when a lease has ended by itself. */
void lease_init(void (*on_end)(void));

/* Gives or prolongs the lease; 0 ends it now. Call with interrupts off. */
void lease_set(uint32_t cycles);

#endif
