// SPDX-License-Identifier: BSD-2-Clause
#include "alarm.h"

#include <generated/csr.h>
#include <generated/soc.h>
#include <irq.h>

#include "uptime.h"

static uint64_t due[ALARMS];	/* uptime; 0: not set */
static void (*handlers[ALARMS])(void);

/* Loads the timer for the alarm that is due first. */
static void load(void)
{
	uint64_t first = UINT64_MAX, now;

	timer0_en_write(0);
	timer0_ev_pending_write(1);
	for (int i = 0; i < ALARMS; i++)
		if (due[i] && due[i] < first)
			first = due[i];
	if (first == UINT64_MAX)
		return;
	now = uptime_cycles();
	timer0_reload_write(0);
	timer0_load_write(first > now ? first - now : 1);
	timer0_en_write(1);
}

static void timer_isr(void)
{
	uint64_t now = uptime_cycles();

	for (int i = 0; i < ALARMS; i++)
		if (due[i] && due[i] <= now) {
			due[i] = 0;
			handlers[i]();
		}
	load();
}

void alarm_init(enum alarm alarm, void (*handler)(void))
{
	handlers[alarm] = handler;
	load();
	timer0_ev_enable_write(1);
	irq_attach(TIMER0_INTERRUPT, timer_isr);
	irq_setmask(irq_getmask() | (1 << TIMER0_INTERRUPT));
}

void alarm_set(enum alarm alarm, uint32_t cycles)
{
	due[alarm] = cycles ? uptime_cycles() + cycles : 0;
	load();
}
