// SPDX-License-Identifier: BSD-2-Clause
/* The call of a guided program: mbind() with the trays that litemrc-guide left in the environment. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guide.h"
#include "policies.h"

/* "RED bind 6;BLUE prefer 8;GREEN any 0;": of each color the policy and the mask of its nodes, in hexadecimal. */
static const char *find(const char *plan, const char *color)
{
	size_t length = strlen(color);

	for (; plan && *plan; plan = strchr(plan, ';'), plan += !!plan)
		if (!strncmp(plan, color, length) && plan[length] == ' ')
			return plan + length + 1;
	return NULL;
}

int litemrc_color(const void *begin, size_t bytes, const char *color)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), first = (uintptr_t)begin & -page;
	const char *plan = getenv(GUIDE_PLAN), *policy = plan ? find(plan, color) : NULL;
	unsigned long nodes;

	if (!plan)
		return 0;
	if (!policy) {
		errno = ENOENT;
		return -1;
	}
	bytes = (bytes + ((uintptr_t)begin - first) + page - 1) & -page;
	if (*policy == 'a')
		return syscall(SYS_mbind, first, bytes, MPOL_DEFAULT, NULL, 0, 0);
	nodes = strtoul(strchr(policy, ' ') + 1, NULL, 16);
	/* Pages that are there already move; shared ones, and those that cannot move, stay. */
	return syscall(SYS_mbind, first, bytes, *policy == 'b' ? MPOL_BIND : MPOL_PREFERRED, &nodes, NODES_MAX, MPOL_MF_MOVE);
}
