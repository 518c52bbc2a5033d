/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a cgroup in pages of the monitor. All but budget_exists() return 0 or -errno. */
#ifndef LITEMRCD_BUDGET_H
#define LITEMRCD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	uint32_t allowed;	/* LITEMRC_NO_BUDGET: unlimited */
	uint32_t used;
};

/* Whether the cgroup has the memory controller. */
bool budget_exists(int group);

int budget_get(int group, struct budget *budget);

/* Limits the cgroup to `pages`; the kernel reclaims pages beyond that at once, as far as possible. */
int budget_set(int group, uint32_t pages);

/* Reclaims up to `pages` pages. */
int budget_reclaim(int group, uint32_t pages);

#endif
