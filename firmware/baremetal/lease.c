// SPDX-License-Identifier: BSD-2-Clause
#include "lease.h"

#include "alarm.h"
#include "budgets.h"
#include "ranks.h"

static bool held;
static void (*ended)(void);

static void give_back(void)
{
	if (held) {
		ranks_restore();
		budgets_lift();
	}
	held = false;
}

static void expire(void)
{
	give_back();
	ended();
}

void lease_init(void (*on_end)(void))
{
	ended = on_end;
	alarm_init(ALARM_LEASE, expire);
}

void lease_set(uint32_t cycles)
{
	alarm_set(ALARM_LEASE, cycles);
	if (!cycles) {
		give_back();
		return;
	}
	if (!held)
		ranks_save();
	held = true;
}
