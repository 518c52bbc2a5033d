// SPDX-License-Identifier: BSD-2-Clause
#include "messages/events.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "messages/epoch_messages.h"
#include "messages/hosts.h"
#include "system/log.h"

static struct device_message message;

static bool send(int kind, uint32_t program, uint32_t context, uint64_t cycles)
{
	if (!host_has_room(SERIAL))
		return false;
	message.type_choice = device_message_type_event_c;
	message.event = (struct event_body){
		.kind.event_kind_choice = kind,
		.workload = program,
		.context = context,
		.cycles.cycles = cycles,
		.epoch_messages = epochs_sent(),
	};
	hosts_send(&message);
	return true;
}

bool events_started(uint32_t program, uint32_t context)
{
	return send(event_kind_workload_started_c, program, context, 0);
}

bool events_done(uint32_t program, uint32_t context, uint64_t cycles)
{
	return send(event_kind_workload_done_c, program, context, cycles);
}

/* On stderr, and to the hosts that have room. */
static void log_line(int level, const char *line)
{
	log_info("%s", line);
	message.type_choice = device_message_type_log_c;
	message.log.level.log_level_choice = level;
	message.log.line.value = (const uint8_t *)line;
	message.log.line.len = strlen(line);
	hosts_send(&message);
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
	log_line(log_level_warning_c, line);
}

void events_command_lost(uint32_t epoch)
{
	char line[80];

	snprintf(line, sizeof(line), "epoch %u: the gateware lost an invalidation or clear; counts are wrong", epoch);
	log_line(log_level_error_c, line);
}
