// SPDX-License-Identifier: BSD-2-Clause
#include "messages/events.h"

#include <stdio.h>
#include <sys/wait.h>

#include "driver/record.h"
#include "messages/hosts.h"
#include "system/log.h"

static bool send(int kind, uint32_t program, uint32_t context, uint64_t cycles)
{
	const struct litemrc_event event = {
		.kind = kind, .workload = program, .context = context, .epoch = record_next(), .cycles = cycles,
	};

	if (!host_has_room(SERIAL))
		return false;
	hosts_send(LITEMRC_MESSAGE_EVENT, &event, sizeof(event));
	return true;
}

bool events_started(uint32_t program, uint32_t context)
{
	return send(LITEMRC_EVENT_KIND_WORKLOAD_STARTED, program, context, 0);
}

bool events_done(uint32_t program, uint32_t context, uint64_t cycles)
{
	return send(LITEMRC_EVENT_KIND_WORKLOAD_DONE, program, context, cycles);
}

/* On stderr, and to the hosts that have room. */
static void log_line(int level, const char *line)
{
	log_info("%s", line);
	events_log(level, line);
}

void events_log(int level, const char *line)
{
	struct litemrc_log log = {.level = level};

	snprintf(log.line, sizeof(log.line), "%s", line);
	hosts_send(LITEMRC_MESSAGE_LOG, &log, sizeof(log));
}

void events_status(const char *name, int status)
{
	char line[80];

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	if (WIFEXITED(status))
		snprintf(line, sizeof(line), "%s ended with status %d", name, WEXITSTATUS(status));
	else
		snprintf(line, sizeof(line), "%s was ended by signal %d", name, WTERMSIG(status));
	log_line(LITEMRC_LOG_WARNING, line);
}

void events_command_lost(uint32_t epoch)
{
	char line[80];

	snprintf(line, sizeof(line), "epoch %u: the gateware lost an invalidation or clear; counts are wrong", epoch);
	log_line(LITEMRC_LOG_ERROR, line);
}
