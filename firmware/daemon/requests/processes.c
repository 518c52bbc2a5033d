// SPDX-License-Identifier: BSD-2-Clause
#include "requests/processes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/driver.h"
#include "processes/listed.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "system/text.h"

#define PID_LIMIT (4u << 20)	/* the kernel's PID_MAX_LIMIT */
#define BAD_CONTEXT "context must be 1 or higher, and one of the monitor's"
#define OF_WRITES "writes count in the upper half of the contexts (split)"
#define RUNS_HERE "a program that the host started runs in the context"

/* A context that can follow, and context 0 if `any` is possible. */
static int check_context(uint32_t context, bool any, struct answer *answer)
{
	if ((!context && !any) || context >= parameters.contexts)
		return refuse(answer, error_code_bad_argument_c, BAD_CONTEXT);
	return context < driver_owners() ? 0 : refuse(answer, error_code_bad_argument_c, OF_WRITES);
}

static int run(const struct run_body *body, struct answer *answer)
{
	int error;

	if (body->workload >= program_count || !body->scale)
		return error_code_bad_argument_c;
	error = check_context(body->context, false, answer);
	if (error)
		return error;
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
	answer->ack.payload.payload.len = copy_name(comm, sizeof(comm), followed.comm, sizeof(followed.comm));
	for (size_t i = 0; i < answer->ack.payload.payload.len; i++)
		answer->payload[i] = comm[i];
	return 0;
}

static int follow(const struct follow_body *body, struct answer *answer)
{
	int error = check_context(body->context, false, answer);

	if (error)
		return error;
	if (body->pid > PID_LIMIT)
		return refuse(answer, error_code_bad_argument_c, "there is no such process");
	if (runs_in(body->context))
		return refuse(answer, error_code_busy_c, RUNS_HERE);
	error = driver_follow(body->context, body->pid);
	return error ? refuse_errno(answer, error) : acknowledge_process(body->context, answer);
}

/* The context that follows the path already, else the first free one, else the first whose process has ended; 0: none. */
static uint32_t context_for(const char *path)
{
	uint32_t free = 0, ended = 0;

	for (uint32_t context = driver_owners() - 1; context; context--) {
		struct litemrc_context now;
		char followed[300];

		if (!driver_followed_cgroup(context, followed, sizeof(followed)) && !strcmp(followed, path))
			return context;
		if (runs_in(context) || driver_followed(context, &now))
			continue;
		if (now.state == LITEMRC_CONTEXT_FREE)
			free = context;
		else if (now.state == LITEMRC_CONTEXT_ENDED)
			ended = context;
	}
	return free ? free : ended;
}

static int follow_cgroup(const struct follow_cgroup_body *body, struct answer *answer)
{
	uint32_t context = body->context;
	char path[LISTED_LONGEST + 1];
	int error;

	snprintf(path, sizeof(path), "%.*s", (int)body->path.len, (const char *)body->path.value);
	if (strlen(path) != body->path.len || listed_find(path) < 0)
		return refuse(answer, error_code_bad_argument_c,
			      "the cgroup is not listed: [govern] lines of litemrcd.conf");
	error = check_context(context, true, answer);
	if (error)
		return error;
	if (!context)
		context = context_for(path);
	if (!context)
		return refuse(answer, error_code_busy_c, "no context is free");
	if (runs_in(context))
		return refuse(answer, error_code_busy_c, RUNS_HERE);
	error = driver_follow_cgroup(context, path);
	if (error == -ENOENT)
		return refuse(answer, error_code_bad_argument_c, "the cgroup is gone: create it and start litemrcd again");
	if (error)
		return refuse_errno(answer, error);
	error = acknowledge_process(context, answer);
	answer->ack.values[2] = context;
	answer->ack.values_count = 3;
	return error;
}

int processes_perform(const struct host_request *request, struct answer *answer)
{
	switch (request->type_choice) {
	case host_request_type_run_c:
		return run(&request->run, answer);
	case host_request_type_get_process_c:
		if (request->get_process.context >= parameters.contexts)
			return error_code_bad_argument_c;
		return acknowledge_process(request->get_process.context, answer);
	case host_request_type_follow_c:
		return follow(&request->follow, answer);
	default:
		return follow_cgroup(&request->follow_cgroup, answer);
	}
}
