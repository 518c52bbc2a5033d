// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/shrink.h"

#include <string.h>

#include "system/log.h"

static struct shrink {
	bool under_way;
	uint32_t serial;	/* of the program's run */
	uint32_t pages;
} shrinks[GROUPS_MAX];

static bool any;

int shrink_begin(const struct group *group, uint32_t pages)
{
	int left = budget_set(&group->files, pages);

	if (left < 0)
		return left;
	shrinks[group_number(group)] = (struct shrink){left, group->serial, pages};
	any |= left;
	return 0;
}

bool shrink_under_way(const struct group *group)
{
	const struct shrink *shrink = &shrinks[group_number(group)];

	return shrink->under_way && shrink->serial == group->serial;
}

void shrink_end(const struct group *group)
{
	shrinks[group_number(group)].under_way = false;
}

static void step(const struct group *group)
{
	int error;

	if (!shrink_under_way(group))
		return;
	error = shrink_begin(group, shrinks[group_number(group)].pages);
	if (!error)
		return;
	log_info("%s: its limit stays above its budget: %s", group->path, strerror(-error));
	shrink_end(group);
}

void shrink_progress(void)
{
	if (!any)
		return;
	any = false;
	groups_visit(step);
}

int shrink_timeout_ms(void)
{
	return any ? 0 : -1;
}
