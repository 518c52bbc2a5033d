// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/lease.h"

#include <stdbool.h>

#include "budgets/budget.h"
#include "driver/driver.h"
#include "messages/outbox.h"
#include "processes/runs.h"
#include "system/say.h"
#include "system/timing.h"

static bool held;
static int64_t end_ms;
static bool unreported;	/* it expired, and the host has not been notified */

static void lift_budgets(void)
{
	for (uint32_t context = 1; held && context < parameters.contexts; context++) {
		int group = runs_group(context);

		if (group >= 0 && budget_exists(group))
			budget_set(group, LITEMRC_NO_BUDGET);
	}
	held = false;
}

void lease_set(uint32_t cycles)
{
	if (!cycles) {
		lift_budgets();
		return;
	}
	held = true;
	end_ms = now_ms() + (int64_t)((uint64_t)cycles * 1000 / parameters.clock_hz);
}

static void report(void)
{
	static const char line[] = "the lease ended: all budgets are lifted";
	static struct device_message message;

	message.type_choice = device_message_type_log_c;
	message.log = (struct log_body){
		.level.log_level_choice = log_level_warning_c,
		.line.value = (const uint8_t *)line,
		.line.len = sizeof(line) - 1,
	};
	outbox_send(&message);
	unreported = false;
}

void lease_progress(void)
{
	if (held && now_ms() >= end_ms) {
		lift_budgets();
		unreported = true;
		say("the host's lease ended: all budgets are lifted");
	}
	if (unreported && outbox_has_room())
		report();
}

int lease_patience_ms(void)
{
	int64_t left = end_ms - now_ms();

	if (!held)
		return -1;
	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}
