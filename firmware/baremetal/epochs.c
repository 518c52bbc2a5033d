// SPDX-License-Identifier: BSD-2-Clause
#include "epochs.h"

#include <generated/soc.h>
#include <irq.h>

#include "alarm.h"
#include "link.h"
#include "monitor.h"
#include "paging/replication.h"
#include "paging/tasks.h"
#include "uptime.h"

static uint64_t sent_at;	/* uptime when the last epoch was sent */
static bool resting;	/* until the alarm */

static uint32_t items(uint32_t kind)
{
	return kind == LITEMRC_PART_TASKS ? tasks_count() : replication_reports();
}

static void fill(uint32_t kind, uint32_t item, void *to)
{
	if (kind == LITEMRC_PART_TASKS)
		tasks_fill(to, item);
	else
		replication_fill(to);
}

static struct register_messages messages = {
	.registers = &registers, .outlet = &link_outlet, .items = items, .fill = fill,
};

static void end_rest(void)
{
	resting = false;
	monitor_interrupts(LITEMRC_EV_ENABLE_EPOCH, LITEMRC_EV_ENABLE_EPOCH);
}

void epochs_init(void (*on_ready)(void))
{
	messages_open(&messages);
	alarm_init(ALARM_EPOCHS, end_rest);
	irq_attach(MRC_INTERRUPT, on_ready);
	irq_setmask(irq_getmask() | (1 << MRC_INTERRUPT));
	end_rest();
}

/*
 * Nothing is sent until the programs have run as long as the last sending took; the monitor's epoch is longer then.
 * Otherwise epochs that are shorter than their sending would leave the programs no time at all.
 */
static void rest(uint64_t began)
{
	uint64_t ran = began - sent_at;

	sent_at = uptime_cycles();
	resting = ran < sent_at - began;
	if (resting)
		alarm_set(ALARM_EPOCHS, sent_at - began - ran);
	else
		end_rest();
}

/*
 * Without room the link's interrupt calls again; the level interrupts of the monitor would be raised endlessly,
 * and are disabled until then.
 */
void epochs_progress(void)
{
	uint64_t began;

	if (!resting && monitor_status(LITEMRC_STATUS_EPOCH_READY)) {
		began = uptime_cycles();
		monitor_interrupts(LITEMRC_EV_ENABLE_EPOCH, 0);
		if (messages_send_epoch(&messages) == EPOCH_SENT)
			rest(began);
	}
	if (PARAMETERS->hot_pages)
		monitor_interrupts(LITEMRC_EV_ENABLE_HOT, messages_send_queued(&messages) ? LITEMRC_EV_ENABLE_HOT : 0);
}

bool epochs_send_counts(void)
{
	return messages_send_counts(&messages);
}

void epochs_keep_settings(void)
{
	messages_keep_settings(&messages);
}

uint32_t epochs_end(void)
{
	uint32_t epoch;

	/* An end that waits for the release of the window ends the epoch that runs now; one behind it is past. */
	while (monitor_status(LITEMRC_STATUS_EPOCH_DUE) && !monitor_status(LITEMRC_STATUS_EPOCH_READY))
		;
	epoch = monitor_read(LITEMRC_EPOCH);
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	return epoch;
}

uint32_t epochs_next(void)
{
	return *(volatile uint32_t *)&messages.next;	/* the link's interrupt changes it */
}

bool epochs_are_sent(uint32_t last)
{
	return (int32_t)(epochs_next() - last) > 0;
}

bool epochs_halfway(void)
{
	return messages.begun;
}
