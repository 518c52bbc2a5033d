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
	uint32_t state, pid;
	const char *comm;
	uint32_t allowed, reclaimed;
} contexts[CONTEXTS];
static uint32_t next_pid = FIRST_PID;

/* Ends the running epoch, whose record has the new follower. */
static void change(uint32_t context, uint32_t state, uint32_t pid, const char *comm)
{
	contexts[context].state = state;
	contexts[context].pid = pid;
	contexts[context].comm = comm;
	send_epoch(runs_contexts());
}

bool processes_start(uint32_t context)
{
	if (!context || contexts[context].state == LITEMRC_CONTEXT_FOLLOWING)
		return false;
	contexts[context].allowed = LITEMRC_NO_BUDGET;
	contexts[context].reclaimed = 0;
	change(context, LITEMRC_CONTEXT_FOLLOWING, next_pid++, "peer");
	return true;
}

void processes_name(uint32_t context, const char *name)
{
	contexts[context].comm = name;
}

void processes_end(uint32_t context)
{
	contexts[context].state = LITEMRC_CONTEXT_ENDED;
}

/* 0: free. */
static uint32_t state_of(uint32_t context)
{
	return contexts[context].state ? contexts[context].state : LITEMRC_CONTEXT_FREE;
}

bool processes_fill(struct litemrc_row *row)
{
	if (!option.system)
		return false;
	row->state = state_of(row->context);
	row->pid = contexts[row->context].pid;
	strncpy(row->comm, contexts[row->context].comm ? contexts[row->context].comm : "", sizeof(row->comm));
	return row->state != LITEMRC_CONTEXT_FREE;
}

int processes_get(uint32_t context, struct answer *answer)
{
	ANSWER(answer, state_of(context), contexts[context].pid);
	answer_text(answer, contexts[context].comm ? contexts[context].comm : "");
	return 0;
}

int processes_follow(uint32_t context, uint32_t pid, struct answer *answer)
{
	if (runs_in(context))
		return refuse(answer, LITEMRC_ERROR_BUSY, "");
	if (!pid) {
		change(context, LITEMRC_CONTEXT_FREE, 0, "");
		return 0;
	}
	if (pid != 41 && pid != 42)
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, "there is no such process");
	for (int i = 0; i < CONTEXTS; i++)
		if (contexts[i].state == LITEMRC_CONTEXT_FOLLOWING && (contexts[i].pid == pid || i == context))
			return refuse(answer, LITEMRC_ERROR_BUSY, "");
	change(context, LITEMRC_CONTEXT_FOLLOWING, pid, pid == 41 ? "sh" : "gzip");
	return 0;
}

int processes_get_budget(uint32_t context, struct answer *answer)
{
	if (!runs_in(context))
		return refuse(answer, LITEMRC_ERROR_BUSY, "");
	ANSWER(answer, contexts[context].allowed, USED_PAGES - contexts[context].reclaimed);
	return 0;
}

int processes_set_budget(enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	if (!runs_in(values[0]))
		return refuse(answer, LITEMRC_ERROR_BUSY, "");
	if (setting == DEVICE_BUDGET)
		contexts[values[0]].allowed = values[1];
	else
		contexts[values[0]].reclaimed += values[1];
	return 0;
}
