// SPDX-License-Identifier: BSD-2-Clause
#include "requests/budgets.h"

#include <errno.h>

#include "budgets/fault_cost.h"
#include "budgets/groups.h"
#include "budgets/lease.h"
#include "driver/driver.h"
#include "processes/listed.h"

static int find_group(uint32_t context, struct group *group, struct answer *answer)
{
	int error;

	if (context >= parameters.contexts)
		return error_code_bad_argument_c;
	error = group_find(context, group);
	if (error == -EBUSY)
		return refuse(answer, error_code_busy_c,
			      "the context has neither a program that the host started nor a listed cgroup");
	return error ? refuse(answer, error_code_unsupported_c, "the kernel has no memory controller") : 0;
}

static int refuse_group(struct answer *answer, int error)
{
	if (error == -ENODEV)
		return refuse(answer, error_code_busy_c, "the cgroup is gone: create it and start litemrcd again");
	return refuse_errno(answer, error);
}

static int acknowledge_budget(const struct group *group, int error, struct answer *answer)
{
	struct budget budget;
	struct bounds bounds;

	if (!error)
		error = budget_get(&group->files, &budget);
	if (!error)
		error = group_bounds(group, &bounds);
	if (error)
		return refuse_group(answer, error);
	acknowledge(answer, 5, budget.allowed, budget.used, budget.guaranteed);
	answer->ack.values[3] = bounds.guarantee;
	answer->ack.values[4] = bounds.limit;
	return 0;
}

static bool is_nested(const struct group *group)
{
	for (uint32_t i = 0; i < listed_count; i++)
		if (lease_governs(i) && (listed_contains(listed_path(i), group->path) ||
					 listed_contains(group->path, listed_path(i))))
			return true;
	return false;
}

static int set(const struct group *group, uint32_t pages, struct answer *answer)
{
	struct bounds bounds;
	int error = group_bounds(group, &bounds);

	if (error)
		return refuse_errno(answer, error);
	if (group->listed >= 0 && !lease_held())
		return refuse(answer, error_code_busy_c, "the budget of a listed cgroup needs a lease: set_lease");
	if (group->listed >= 0 && is_nested(group))
		return refuse(answer, error_code_busy_c, "a cgroup above or below it has a budget of the host");
	if (pages != LITEMRC_NO_BUDGET && pages > bounds.limit)
		return refuse(answer, error_code_bad_argument_c,
			      "above memory.max, or memory.high of a cgroup above");
	error = lease_keep(group);
	if (!error)
		error = budget_set(&group->files, pages);
	if (group->program >= 0)
		groups_protect_programs();
	return acknowledge_budget(group, error, answer);
}

static int change_budget(const struct host_request *request, struct answer *answer)
{
	bool is_set = request->type_choice == host_request_type_set_budget_c;
	uint32_t context = is_set ? request->set_budget.context : request->reclaim.context;
	uint32_t pages = is_set ? request->set_budget.pages : request->reclaim.pages;
	struct group group;
	int error = find_group(context, &group, answer);

	if (error)
		return error;
	if (!pages || (pages > parameters.frames && !(is_set && pages == LITEMRC_NO_BUDGET)))
		error = refuse(answer, error_code_bad_argument_c, "pages must be 1 to the size of memory");
	else if (is_set)
		error = set(&group, pages, answer);
	else
		error = acknowledge_budget(&group, budget_reclaim(&group.files, pages), answer);
	group_leave(&group);
	return error;
}

static int get_budget(uint32_t context, struct answer *answer)
{
	struct group group;
	int error = find_group(context, &group, answer);

	if (!error) {
		error = acknowledge_budget(&group, 0, answer);
		group_leave(&group);
	}
	return error;
}

static int get_fault_cost(struct answer *answer)
{
	struct fault_cost cost;
	int error = fault_cost_get(&cost, &answer->reason);

	if (error)
		return refuse_errno(answer, error);
	acknowledge(answer, 5, cost.blocks, cost.faults, cost.low);
	answer->ack.values[3] = cost.median;
	answer->ack.values[4] = cost.high;
	return 0;
}

int budgets_perform(const struct host_request *request, struct answer *answer)
{
	switch (request->type_choice) {
	case host_request_type_get_budget_c:
		return get_budget(request->get_budget.context, answer);
	case host_request_type_measure_fault_cost_c:
		return refuse_errno(answer, fault_cost_measure(&answer->reason));
	case host_request_type_get_fault_cost_c:
		return get_fault_cost(answer);
	default:
		return change_budget(request, answer);
	}
}
