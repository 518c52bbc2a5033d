// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/lease.h"

#include <string.h>

#include "driver/driver.h"
#include "driver/ranks.h"
#include "messages/hosts.h"
#include "processes/listed.h"
#include "processes/programs.h"
#include "system/log.h"
#include "system/timing.h"

#define ENDED "the lease ended: memory.high and memory.low are as before it"
#define RANKS_ENDED ", rank policy and working set, too"

struct entry {
	bool held;
	uint32_t serial;	/* of the program's run */
	struct kept_budget before;
};

static bool held;
static int64_t end_ms;
static bool unreported;	/* it expired, and the host has not been notified */
static struct entry of_listed[LISTED_MAX], of_programs[PROGRAMS_MAX];

static struct entry *entry_of(const struct group *group)
{
	return group->listed >= 0 ? &of_listed[group->listed] : &of_programs[group->program];
}

bool lease_held(void)
{
	return held;
}

bool lease_governs(uint32_t listed)
{
	return of_listed[listed].held;
}

int lease_keep(const struct group *group)
{
	struct entry *entry = entry_of(group);
	int error;

	if (!held || (entry->held && entry->serial == group->serial))
		return 0;
	error = budget_keep(&group->files, &entry->before);
	entry->held = !error;
	entry->serial = group->serial;
	return error;
}

static void restore(const struct group *group)
{
	struct entry *entry = entry_of(group);
	int error = 0;

	if (entry->held && entry->serial == group->serial)
		error = budget_restore(&group->files, &entry->before);
	if (error)
		log_info("%s: the budget cannot be restored: %s", group->path, strerror(-error));
	entry->held = false;
}

void lease_end(void)
{
	struct group group;
	int error = held && dram.ranks ? ranks_restore() : 0;

	if (error)
		log_info("rank policy and working set cannot be restored: %s", strerror(-error));
	held = false;
	for (uint32_t i = 0; i < listed_count; i++) {
		group_of_listed(i, &group);
		restore(&group);
	}
	for (uint32_t context = 1; context < parameters.contexts; context++)
		if (!group_find(context, &group)) {
			if (group.program >= 0)
				restore(&group);
			group_leave(&group);
		}
	memset(of_programs, 0, sizeof(of_programs));
	groups_protect_programs();
}

void lease_set(uint32_t cycles)
{
	int error;

	if (!cycles) {
		lease_end();
		return;
	}
	error = !held && dram.ranks ? ranks_save() : 0;
	if (error)
		log_info("rank policy and working set will not be restored: %s", strerror(-error));
	held = true;
	end_ms = now_ms() + (int64_t)((uint64_t)cycles * 1000 / parameters.clock_hz);
}

static void report(void)
{
	static const char line[] = ENDED RANKS_ENDED;
	static struct device_message message;

	message.type_choice = device_message_type_log_c;
	message.log = (struct log_body){
		.level.log_level_choice = log_level_warning_c,
		.line.value = (const uint8_t *)line,
		.line.len = strlen(ENDED) + (dram.ranks ? strlen(RANKS_ENDED) : 0),
	};
	hosts_send(&message);
	unreported = false;
}

void lease_progress(void)
{
	if (held && now_ms() >= end_ms) {
		lease_end();
		unreported = true;
		log_info(ENDED);
	}
	if (unreported && host_has_room(SERIAL))
		report();
}

int lease_timeout_ms(void)
{
	int64_t left = end_ms - now_ms();

	if (!held)
		return -1;
	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}
