/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cgroup whose memory a context has: of a program that the daemon started, or a listed one that the context follows.
 */
#ifndef LITEMRCD_GROUPS_H
#define LITEMRCD_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "budgets/budget.h"
#include "processes/listed.h"
#include "processes/programs.h"

#define GROUPS_MAX (LISTED_MAX + PROGRAMS_MAX)

struct group {
	struct budget_files files;
	char path[300];		/* from the root of cgroup v2 */
	int listed;		/* number in the list; -1: of a program */
	int program;		/* number of the program; -1: listed */
	uint32_t serial;	/* of the program's run */
};

/* What the cgroups above allow, in pages. */
struct bounds {
	uint32_t limit;		/* least memory.max, and memory.high of those above; LITEMRC_NO_BUDGET: none */
	uint32_t guarantee;	/* least memory.low of those above; LITEMRC_NO_BUDGET: none is above */
};

/*
 * Opens the files of the listed cgroups, below the mount point of cgroup v2, while the daemon has permission. Exits if
 * one does not exist.
 */
void groups_open(const char *mount);

/* Returns 0; -EBUSY: the context has no such cgroup; -EOPNOTSUPP: no memory controller. End with group_leave(). */
int group_find(uint32_t context, struct group *group);

void group_leave(struct group *group);

/* The number of the listed cgroup, or of the program; below GROUPS_MAX. */
unsigned int group_number(const struct group *group);

/* Calls `visit` for each listed cgroup and for that of each program that runs. */
void groups_visit(void (*visit)(const struct group *group));

/* Returns 0 or -errno. */
int group_bounds(const struct group *group, struct bounds *bounds);

/* Protects in the daemon's subtree what its programs are guaranteed. */
void groups_protect_programs(void);

#endif
