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

int processes_get(uint32_t context, struct answer *answer)
{
	int state = contexts[context].state;

	ANSWER(answer, state ? state : process_state_free_c, contexts[context].pid);
	answer_text(answer, contexts[context].comm ? contexts[context].comm : "");
	return 0;
}

int processes_follow(uint32_t context, uint32_t pid, struct answer *answer)
{
	if (runs_in(context))
		return refuse(answer, error_code_busy_c, "");
	if (!pid) {
		report(context, process_state_free_c, 0, "");
		return 0;
	}
	if (pid != 41 && pid != 42)
		return refuse(answer, error_code_bad_argument_c, "there is no such process");
	for (int i = 0; i < CONTEXTS; i++)
		if (contexts[i].state == process_state_following_c && (contexts[i].pid == pid || i == context))
			return refuse(answer, error_code_busy_c, "");
	report(context, process_state_following_c, pid, pid == 41 ? "sh" : "gzip");
	return 0;
}

int processes_get_budget(uint32_t context, struct answer *answer)
{
	if (!runs_in(context))
		return refuse(answer, error_code_busy_c, "");
	ANSWER(answer, contexts[context].allowed, USED_PAGES - contexts[context].reclaimed);
	return 0;
}

int processes_set_budget(enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	if (!runs_in(values[0]))
		return refuse(answer, error_code_busy_c, "");
	if (setting == DEVICE_BUDGET)
		contexts[values[0]].allowed = values[1];
	else
		contexts[values[0]].reclaimed += values[1];
	return 0;
}
