/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a cgroup in pages of the monitor. A budget is a guarantee and a limit: memory.low is the budget, and
 * memory.high is BUDGET_AHEAD pages more. All functions but budget_close() and budget_set() return 0 or -errno.
 */
#ifndef LITEMRCD_BUDGET_H
#define LITEMRCD_BUDGET_H

#include <stdint.h>

/*
 * Linux charges a cgroup up to n pages before they are used (MEMCG_CHARGE_BATCH of memcontrol.h), and counts them
 * towards memory.high: a program that needs all of its budget would lose pages to them.
 */
#define BUDGET_AHEAD 64u

/* The kernel reclaims while memory.high is written, and no fewer pages than these (SWAP_CLUSTER_MAX of swap.h). */
#define BUDGET_STEP 32u

/* Open files of a cgroup; -1: missing. */
struct budget_files {
	int high, low, current, reclaim;
};

struct budget {
	uint32_t allowed;	/* the budget, or memory.high that nobody set here; LITEMRC_NO_BUDGET: unlimited */
	uint32_t used;
	uint32_t guaranteed;	/* memory.low */
};

/* Both limits as the kernel printed them. */
struct kept_budget {
	char high[32], low[32];
};

/* Opens the files of a cgroup's folder; -ENOENT: the cgroup has no memory controller. */
int budget_open(struct budget_files *files, int folder);
void budget_close(struct budget_files *files);

int budget_get(const struct budget_files *files, struct budget *budget);

/*
 * Guarantees `pages` to the cgroup and limits it to them, at most BUDGET_STEP below what it has: returns 1 if the limit
 * must be lowered further, by the same call. LITEMRC_NO_BUDGET: neither guarantee nor limit. On failure, -errno, both
 * files are as before.
 */
int budget_set(const struct budget_files *files, uint32_t pages);

int budget_keep(const struct budget_files *files, struct kept_budget *kept);
int budget_restore(const struct budget_files *files, const struct kept_budget *kept);

/* Reclaims up to `pages` pages. */
int budget_reclaim(const struct budget_files *files, uint32_t pages);

/* The number in a file of a cgroup, in pages; "max": LITEMRC_NO_BUDGET. */
int budget_pages(int file, uint32_t *pages);

#endif
