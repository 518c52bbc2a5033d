// SPDX-License-Identifier: BSD-2-Clause
/* Memory of a context's cgroup. */
#include <errno.h>

#include "budgets/groups.h"
#include "budgets/lease.h"
#include "budgets/shrink.h"
#include "port/port.h"
#include "processes/listed.h"

static int find_group(uint32_t context, struct group *group, struct answer *answer)
{
	int error = group_find(context, group);

	if (error == -EBUSY)
		return refuse(answer, LITEMRC_ERROR_BUSY,
			      "the context has neither a program that the host started nor a listed cgroup");
	return error ? refuse(answer, LITEMRC_ERROR_UNSUPPORTED, "the kernel has no memory controller") : 0;
}

/* Leaves the group. */
static int finish(struct group *group, int error, struct answer *answer)
{
	group_leave(group);
	if (error == -ENODEV)
		return refuse(answer, LITEMRC_ERROR_BUSY, "the cgroup is gone: create it and start litemrcd again");
	return error < 0 ? refuse_errno(answer, error) : error;
}

int context_budget(uint32_t context, struct answer *answer)
{
	struct budget budget;
	struct bounds bounds;
	struct group group;
	int error = find_group(context, &group, answer);

	if (error)
		return error;
	error = budget_get(&group.files, &budget);
	if (!error && shrink_under_way(&group))
		budget.allowed = budget.guaranteed;
	if (!error)
		error = group_bounds(&group, &bounds);
	if (!error)
		ANSWER(answer, budget.allowed, budget.used, budget.guaranteed, bounds.guarantee, bounds.limit);
	return finish(&group, error, answer);
}

static bool is_nested(const struct group *group)
{
	for (uint32_t i = 0; i < listed_count; i++)
		if (lease_governs(i) && (listed_contains(listed_path(i), group->path) ||
					 listed_contains(group->path, listed_path(i))))
			return true;
	return false;
}

/* Returns 0, -errno or refuse(). */
static int set(const struct group *group, uint32_t pages, struct answer *answer)
{
	struct bounds bounds;
	int error = group_bounds(group, &bounds);

	if (error)
		return error;
	if (group->listed >= 0 && !linux_device.leased)
		return refuse(answer, LITEMRC_ERROR_BUSY, "the budget of a listed cgroup needs a lease: set_lease");
	if (group->listed >= 0 && is_nested(group))
		return refuse(answer, LITEMRC_ERROR_BUSY, "a cgroup above or below it has a budget of the host");
	if (pages != LITEMRC_NO_BUDGET && pages > bounds.limit)
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT,
			      "above memory.max, or memory.high of a cgroup above");
	error = linux_device.leased ? lease_keep(group) : 0;
	if (!error)
		error = shrink_begin(group, pages);
	if (group->program >= 0)
		groups_protect_programs();
	return error;
}

int context_set_budget(uint32_t context, uint32_t pages, struct answer *answer)
{
	struct group group;
	int error = find_group(context, &group, answer);

	return error ? error : finish(&group, set(&group, pages, answer), answer);
}

int context_reclaim(uint32_t context, uint32_t pages, struct answer *answer)
{
	struct group group;
	int error = find_group(context, &group, answer);

	return error ? error : finish(&group, budget_reclaim(&group.files, pages), answer);
}
