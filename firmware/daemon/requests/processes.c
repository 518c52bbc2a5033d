// SPDX-License-Identifier: BSD-2-Clause
#include "requests/processes.h"

#include <errno.h>

#include "budgets/budget.h"
#include "driver/driver.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "system/text.h"

#define PID_LIMIT (4u << 20)	/* the kernel's PID_MAX_LIMIT */
#define BAD_CONTEXT "context must be 1 or higher, and one of the monitor's"

static int run(const struct run_body *body, struct answer *answer)
{
	if (body->workload >= program_count || !body->scale)
		return error_code_bad_argument_c;
	if (!body->context || body->context >= parameters.contexts)
		return refuse(answer, error_code_bad_argument_c, BAD_CONTEXT);
	return refuse_errno(answer, runs_start(body->workload, body->context, body->scale, &answer->reason));
}

static int acknowledge_process(uint32_t context, struct answer *answer)
{
	struct litemrc_context followed;
	char comm[17];
	int error = driver_followed(context, &followed);

	if (error)
		return refuse_errno(answer, error);
	acknowledge(answer, 2, followed.state, followed.pid, 0);
	answer->ack.payload.len = copy_name(comm, sizeof(comm), followed.comm, sizeof(followed.comm));
	for (size_t i = 0; i < answer->ack.payload.len; i++)
		answer->payload[i] = comm[i];
	return 0;
}

static int follow(const struct follow_body *body, struct answer *answer)
{
	int error;

	if (!body->context || body->context >= parameters.contexts)
		return refuse(answer, error_code_bad_argument_c, BAD_CONTEXT);
	if (body->pid > PID_LIMIT)
		return refuse(answer, error_code_bad_argument_c, "there is no such process");
	if (runs_in(body->context))
		return refuse(answer, error_code_busy_c, "a program that the host started runs in the context");
	error = driver_follow(body->context, body->pid);
	return error ? refuse_errno(answer, error) : acknowledge_process(body->context, answer);
}

/* Only programs that the host started have a cgroup, and so a budget. */
static int find_group(uint32_t context, int *group, struct answer *answer)
{
	if (context >= parameters.contexts)
		return error_code_bad_argument_c;
	if (!runs_in(context))
		return refuse(answer, error_code_busy_c, "no program that the host started runs in the context");
	*group = runs_group(context);
	if (*group < 0 || !budget_exists(*group))
		return refuse(answer, error_code_unsupported_c, "the kernel has no memory controller");
	return 0;
}

static int acknowledge_budget(int group, int error, struct answer *answer)
{
	struct budget budget;

	if (!error)
		error = budget_get(group, &budget);
	if (!error)
		acknowledge(answer, 2, budget.allowed, budget.used, 0);
	return refuse_errno(answer, error);
}

static int change_budget(const struct host_request *request, struct answer *answer)
{
	bool set = request->type_choice == host_request_type_set_budget_c;
	uint32_t context = set ? request->set_budget.context : request->reclaim.context;
	uint32_t pages = set ? request->set_budget.pages : request->reclaim.pages;
	int group, error = find_group(context, &group, answer);

	if (error)
		return error;
	if (!pages || (pages > parameters.frames && !(set && pages == LITEMRC_NO_BUDGET)))
		return refuse(answer, error_code_bad_argument_c, "pages must be 1 to the size of memory");
	return acknowledge_budget(group, set ? budget_set(group, pages) : budget_reclaim(group, pages), answer);
}

int processes_perform(const struct host_request *request, struct answer *answer)
{
	int group, error;

	switch (request->type_choice) {
	case host_request_type_run_c:
		return run(&request->run, answer);
	case host_request_type_get_process_c:
		if (request->get_process.context >= parameters.contexts)
			return error_code_bad_argument_c;
		return acknowledge_process(request->get_process.context, answer);
	case host_request_type_follow_c:
		return follow(&request->follow, answer);
	case host_request_type_get_budget_c:
		error = find_group(request->get_budget.context, &group, answer);
		return error ? error : acknowledge_budget(group, 0, answer);
	default:
		return change_budget(request, answer);
	}
}
