/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Budgets that shrink, step by step: the kernel reclaims pages while a limit is written, some milliseconds each, and the
 * daemon serves between two steps. Else the raise of a budget would wait until another one has shrunk.
 */
#ifndef LITEMRCD_SHRINK_H
#define LITEMRCD_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "budgets/groups.h"

/* As budget_set(), with the steps after the first one left to shrink_progress(). Returns 0 or -errno. */
int shrink_begin(const struct group *group, uint32_t pages);

/* Whether the cgroup's limit is still above its budget. */
bool shrink_under_way(const struct group *group);

/* Leaves the limit as it is now. */
void shrink_end(const struct group *group);

/* One step of each. */
void shrink_progress(void);

/* Time until shrink_progress() must be called, in ms; -1: no limit. */
int shrink_timeout_ms(void);

#endif
