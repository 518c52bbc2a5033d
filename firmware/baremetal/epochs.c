// SPDX-License-Identifier: BSD-2-Clause
#include "epochs.h"

#include <generated/soc.h>
#include <irq.h>

#include "alarm.h"
#include "link.h"
#include "page_messages.h"
#include "paging/replication.h"
#include "paging/tasks.h"
#include "ranks.h"
#include "uptime.h"

static uint32_t sent;
static volatile uint32_t complete;	/* number of the first epoch that was not sent */
static uint32_t next_context;	/* to be sent, of the epoch in the window */
static uint32_t next_domain;	/* power domains follow the contexts */
static uint32_t ranks_sent;
static uint32_t next_task;	/* tasks follow the domains */
static uint32_t tasks_sent;
static bool pages_sent;		/* of the epoch in the window: the pages message follows the tasks */
static struct epoch_settings kept;	/* of the epoch in the window, if changed since */
static bool settings_kept;
static uint64_t sent_at;	/* uptime when the last epoch was sent */
static bool resting;	/* until the alarm */

static void end_rest(void)
{
	resting = false;
	monitor_interrupts(LITEMRC_EV_ENABLE_EPOCH, LITEMRC_EV_ENABLE_EPOCH);
}

void epochs_init(void (*on_ready)(void))
{
	alarm_init(ALARM_EPOCHS, end_rest);
	irq_attach(MRC_INTERRUPT, on_ready);
	irq_setmask(irq_getmask() | (1 << MRC_INTERRUPT));
	end_rest();
}

static struct epoch_settings settings(void)
{
	return settings_kept ? kept : page_messages_settings();
}

static uint32_t window_accesses(uint32_t groups, uint32_t context)
{
	return monitor_window(groups, context, LITEMRC_WINDOW_ACCESSES(groups));
}

/* Returns the first context with accesses from `context` on; `contexts` if there is none. */
static uint32_t find_used(uint32_t groups, uint32_t context, uint32_t contexts)
{
	while (context < contexts && !window_accesses(groups, context))
		context++;
	return context;
}

static uint32_t count_used(uint32_t groups, uint32_t context, uint32_t contexts)
{
	uint32_t used = 0;

	for (; context < contexts; context++)
		used += window_accesses(groups, context) != 0;
	return used;
}

static void send_context(uint32_t groups, uint32_t context, uint32_t remaining)
{
	struct epoch_body *epoch = &link_message.epoch;

	link_message.type_choice = device_message_type_epoch_c;
	epoch->index = sent++;
	epoch->epoch = monitor_read(LITEMRC_EPOCH) - 1;
	epoch->remaining = remaining;
	epoch->context = context;
	epoch->accesses = window_accesses(groups, context);
	epoch->misses = monitor_window(groups, context, LITEMRC_WINDOW_MISSES(groups));
	epoch->touched = monitor_window(groups, context, LITEMRC_WINDOW_TOUCHED(groups));
	epoch->dropped = monitor_read(LITEMRC_EPOCH_DROPPED);
	epoch->outside = monitor_read(LITEMRC_EPOCH_OUTSIDE);
	epoch->unsampled = monitor_read(LITEMRC_EPOCH_UNSAMPLED);
	epoch->scale_log2 = settings().scale_log2;
	epoch->overflow.overflow = monitor_status(LITEMRC_STATUS_OVERFLOW);
	epoch->split.split = settings().split;
	/* Nothing is evicted. */
	epoch->resident.resident = epoch->evicted.evicted = epoch->unidentified.unidentified = 0;
	epoch->tail.tail_count = 0;
	epoch->hits_count = groups;
	for (uint32_t group = 0; group < groups; group++)
		epoch->hits[group] = monitor_window(groups, context, group);
	link_send(&link_message);
}

static void send_rank(uint32_t domain, uint32_t remaining)
{
	struct rank_body *rank = &link_message.rank;

	link_message.type_choice = device_message_type_rank_c;
	rank->index = ranks_sent++;
	rank->epoch = monitor_read(LITEMRC_EPOCH) - 1;
	rank->remaining = remaining;
	ranks_fill(rank, domain);
	link_send(&link_message);
}

static void send_task(uint32_t number, uint32_t remaining)
{
	struct task_body *task = &link_message.task;

	link_message.type_choice = device_message_type_task_c;
	task->index = tasks_sent++;
	task->epoch = monitor_read(LITEMRC_EPOCH) - 1;
	task->remaining = remaining;
	tasks_fill(task, number);
	link_send(&link_message);
}

static void send_pages(void)
{
	link_message.type_choice = device_message_type_pages_c;
	link_message.pages.epoch = monitor_read(LITEMRC_EPOCH) - 1;
	replication_fill(&link_message.pages);
	link_send(&link_message);
}

/* Returns whether the whole epoch is queued; false: the link has no room. */
static bool send_epoch(const struct device_parameters *parameters)
{
	uint32_t groups = parameters->groups, contexts = parameters->contexts;
	uint32_t domains = ranks_domains(), tasks = tasks_count();

	if (!next_context && !count_used(groups, 0, contexts)) {
		if (!link_has_room())
			return false;
		send_context(groups, 0, 0);
		next_context = contexts;
	}
	while ((next_context = find_used(groups, next_context, contexts)) < contexts) {
		if (!link_has_room())
			return false;
		send_context(groups, next_context, count_used(groups, next_context + 1, contexts));
		next_context++;
	}
	for (; next_domain < domains; next_domain++) {
		if (!link_has_room())
			return false;
		send_rank(next_domain, domains - next_domain - 1);
	}
	for (; next_task < tasks; next_task++) {
		if (!link_has_room())
			return false;
		send_task(next_task, tasks - next_task - 1);
	}
	if (!pages_sent && replication_reports()) {
		if (!link_has_room())
			return false;
		send_pages();
		pages_sent = true;
	}
	if (!page_messages_send(parameters, settings()))
		return false;
	pages_sent = false;
	next_context = next_domain = next_task = 0;
	return true;
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

void epochs_progress(const struct device_parameters *parameters)
{
	uint64_t began;

	if (resting || !monitor_status(LITEMRC_STATUS_EPOCH_READY))
		return;
	began = uptime_cycles();
	/* Without room the link's interrupt calls again; the monitor's level interrupt would be raised endlessly. */
	monitor_interrupts(LITEMRC_EV_ENABLE_EPOCH, 0);
	if (send_epoch(parameters)) {
		complete = monitor_read(LITEMRC_EPOCH);
		monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_RELEASE);
		settings_kept = false;
		rest(began);
	}
}

void epochs_keep_settings(void)
{
	if (settings_kept || !monitor_status(LITEMRC_STATUS_EPOCH_READY))
		return;
	kept = page_messages_settings();
	settings_kept = true;
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

bool epochs_are_sent(uint32_t last)
{
	return (int32_t)(complete - last) > 0;
}

bool epochs_halfway(void)
{
	return next_context != 0;
}

uint32_t epochs_sent(void)
{
	return sent;
}
