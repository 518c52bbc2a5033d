/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a cgroup, in the monitor's pages. All but budget_exists() return 0 or -errno. */
#ifndef LITEMRCD_BUDGET_H
#define LITEMRCD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	uint32_t allowed;	/* LITEMRC_NO_BUDGET: as much as there is */
	uint32_t used;
};

/* Whether the cgroup has the memory controller. */
bool budget_exists(int group);

int budget_get(int group, struct budget *budget);

/* At most so many pages from now on; more are taken back at once, as far as they can be. */
int budget_set(int group, uint32_t pages);

/* Takes back as many of that many pages as can be. */
int budget_reclaim(int group, uint32_t pages);

#endif
