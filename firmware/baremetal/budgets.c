// SPDX-License-Identifier: BSD-2-Clause
#include "budgets.h"

#include "answer.h"
#include "paging/tasks.h"

_Static_assert(PAGER_NO_BUDGET == LITEMRC_NO_BUDGET, "budget");

void budgets_lift(void)
{
	for (uint32_t number = 0; number < PAGER_OWNERS; number++)
		pager_owners[number].budget = PAGER_NO_BUDGET;
}

static int set_budget(struct pager_owner *owner, uint32_t pages, const char **reason)
{
	if (!pages)
		return refuse(reason, error_code_bad_argument_c, "pages must be 1 or more");
	owner->budget = pages;
	return 0;
}

/* The tasks' loop evicts the pages. */
static void reclaim(struct pager_owner *owner, uint32_t pages)
{
	owner->reclaim = pages < owner->resident ? pages : owner->resident;
}

int budgets_perform(const struct host_request *request, struct ack_body *ack, const char **reason)
{
	struct pager_owner *owner;
	int error = 0;

	switch (request->type_choice) {
	case host_request_type_get_budget_c:
		owner = tasks_owner(request->get_budget.context);
		break;
	case host_request_type_set_budget_c:
		owner = tasks_owner(request->set_budget.context);
		break;
	case host_request_type_reclaim_c:
		owner = tasks_owner(request->reclaim.context);
		break;
	default:
		return refuse(reason, error_code_unsupported_c, "the device has no operating system");
	}
	if (!owner)
		return refuse(reason, error_code_busy_c, "the pager runs no task in that context");
	if (request->type_choice == host_request_type_set_budget_c)
		error = set_budget(owner, request->set_budget.pages, reason);
	else if (request->type_choice == host_request_type_reclaim_c)
		reclaim(owner, request->reclaim.pages);
	ack->values[0] = owner->budget;
	ack->values[1] = owner->resident;
	ack->values_count = 2;
	return error;
}
