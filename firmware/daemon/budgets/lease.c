// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/lease.h"

#include <string.h>

#include "budgets/shrink.h"
#include "driver/driver.h"
#include "messages/events.h"
#include "messages/hosts.h"
#include "system/log.h"
#include "system/timing.h"

#define ENDED "the lease ended: memory.high and memory.low are as before it"
#define RANKS_ENDED ", rank policy and working set, too"

struct entry {
	bool held;
	uint32_t serial;	/* of the program's run */
	struct kept_budget before;
};

static int64_t end_ms;
static bool unreported;	/* it expired, and the host has not been notified */
static struct entry entries[GROUPS_MAX];

bool lease_governs(uint32_t listed)
{
	return entries[listed].held;
}

int lease_keep(const struct group *group)
{
	struct entry *entry = &entries[group_number(group)];
	int error;

	if (entry->held && entry->serial == group->serial)
		return 0;
	error = budget_keep(&group->files, &entry->before);
	entry->held = !error;
	entry->serial = group->serial;
	return error;
}

static void restore(const struct group *group)
{
	const struct entry *entry = &entries[group_number(group)];
	int error;

	if (!entry->held || entry->serial != group->serial)
		return;
	shrink_end(group);
	error = budget_restore(&group->files, &entry->before);
	if (error)
		log_info("%s: the budget cannot be restored: %s", group->path, strerror(-error));
}

void lease_restore(struct device *device)
{
	if (driver_has(LITEMRC_FEATURE_RANK_POWER) && !device->saved)
		log_info("rank policy and working set are not as before the lease: the driver refuses them");
	groups_visit(restore);
	memset(entries, 0, sizeof(entries));
	groups_protect_programs();
}

void lease_set(struct device *device, uint32_t cycles)
{
	(void)device;
	end_ms = now_ms() + (int64_t)((uint64_t)cycles * 1000 / parameters.clock_hz);
}

static void report(const struct device *device)
{
	events_log(LITEMRC_LOG_WARNING, device->saved ? ENDED RANKS_ENDED : ENDED);
	unreported = false;
}

void lease_progress(struct device *device)
{
	if (device->leased && now_ms() >= end_ms) {
		device_end_lease(device);
		unreported = true;
		log_info(ENDED);
	}
	if (unreported && host_has_room(SERIAL))
		report(device);
}

int lease_timeout_ms(const struct device *device)
{
	int64_t left;

	if (!device->leased)
		return -1;
	left = end_ms - now_ms();
	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}
