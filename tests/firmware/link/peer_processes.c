// SPDX-License-Identifier: BSD-2-Clause
/*
 * The processes of the peer program, with system=1. Those with the numbers 41 (sh) and 42 (gzip) run already; programs
 * get the numbers from 100 on. Each context's programs use 300 pages, less what they were made to give back.
 */
#include <string.h>

#include "peer.h"

#define FIRST_PID 100
#define USED_PAGES 300

static struct {
	int state; /* 0: free */
	uint32_t pid;
	const char *comm;
	uint32_t allowed, reclaimed;
} contexts[CONTEXTS];
static uint32_t next_pid = FIRST_PID;

static struct zcbor_string text(const char *string)
{
	return (struct zcbor_string){.value = (const uint8_t *)string, .len = strlen(string)};
}

void processes_describe(struct hello_body *hello)
{
	hello->system.system = text(option.system ? "Linux 6.1.0" : "");
	hello->driver.driver = text(option.system ? "0.1" : "");
	hello->abi.abi = option.system;
}

static void report(uint32_t context, int state, uint32_t pid, const char *comm)
{
	static struct device_message message;

	contexts[context].state = state == process_state_free_c ? 0 : state;
	contexts[context].pid = pid;
	contexts[context].comm = comm;
	message.type_choice = device_message_type_process_c;
	message.process = (struct process_body){
		.state.process_state_choice = state,
		.context = context,
		.pid = pid,
		.comm.comm = text(comm),
		.epoch_messages = epoch_messages,
	};
	send_message(&message);
}

bool processes_start(uint32_t context)
{
	if (!context || contexts[context].state == process_state_following_c)
		return false;
	contexts[context].allowed = LITEMRC_NO_BUDGET;
	contexts[context].reclaimed = 0;
	report(context, process_state_following_c, next_pid++, "peer");
	return true;
}

void processes_name(uint32_t context, const char *name)
{
	if (option.system && strcmp(contexts[context].comm, name))
		report(context, process_state_following_c, contexts[context].pid, name);
}

void processes_end(uint32_t context)
{
	if (option.system)
		report(context, process_state_ended_c, contexts[context].pid, contexts[context].comm);
}

static int acknowledge_process(uint32_t context, struct ack_body *ack)
{
	int state = contexts[context].state;

	answer_values(state ? state : process_state_free_c, contexts[context].pid, 0, 2);
	ack->payload.payload = text(contexts[context].comm ? contexts[context].comm : "");
	return 0;
}

static int follow(const struct follow_body *body, struct ack_body *ack)
{
	if (!body->context || body->context >= CONTEXTS)
		return error_code_bad_argument_c;
	if (runs_in(body->context))
		return error_code_busy_c;
	if (!body->pid) {
		report(body->context, process_state_free_c, 0, "");
		return acknowledge_process(body->context, ack);
	}
	if (body->pid != 41 && body->pid != 42) {
		reason = "there is no such process";
		return error_code_bad_argument_c;
	}
	for (int i = 0; i < CONTEXTS; i++)
		if (contexts[i].state == process_state_following_c && (contexts[i].pid == body->pid || i == body->context))
			return error_code_busy_c;
	report(body->context, process_state_following_c, body->pid, body->pid == 41 ? "sh" : "gzip");
	return acknowledge_process(body->context, ack);
}

static int acknowledge_budget(uint32_t context)
{
	answer_values(contexts[context].allowed, USED_PAGES - contexts[context].reclaimed, 0, 2);
	return 0;
}

static int budget(uint32_t context)
{
	if (context >= CONTEXTS)
		return error_code_bad_argument_c;
	return runs_in(context) ? 0 : error_code_busy_c;
}

int processes_perform(const struct host_request *request, struct ack_body *ack)
{
	int error;

	if (!option.system)
		return error_code_unsupported_c;
	switch (request->type_choice) {
	case host_request_type_get_process_c:
		if (request->get_process.context >= CONTEXTS)
			return error_code_bad_argument_c;
		return acknowledge_process(request->get_process.context, ack);
	case host_request_type_follow_c:
		return follow(&request->follow, ack);
	case host_request_type_get_budget_c:
		error = budget(request->get_budget.context);
		return error ? error : acknowledge_budget(request->get_budget.context);
	case host_request_type_set_budget_c:
		error = budget(request->set_budget.context);
		if (error)
			return error;
		contexts[request->set_budget.context].allowed = request->set_budget.pages;
		return acknowledge_budget(request->set_budget.context);
	case host_request_type_reclaim_c:
		error = budget(request->reclaim.context);
		if (error)
			return error;
		contexts[request->reclaim.context].reclaimed += request->reclaim.pages;
		return acknowledge_budget(request->reclaim.context);
	default:
		return error_code_unknown_c;
	}
}
