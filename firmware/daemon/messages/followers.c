// SPDX-License-Identifier: BSD-2-Clause
#include "messages/followers.h"

#include <string.h>

#include "driver/driver.h"
#include "messages/epoch_messages.h"
#include "messages/hosts.h"
#include "system/text.h"

/* The link and the driver number the states alike. */
_Static_assert((int)process_state_free_c == LITEMRC_CONTEXT_FREE, "free");
_Static_assert((int)process_state_following_c == LITEMRC_CONTEXT_FOLLOWING, "following");
_Static_assert((int)process_state_ended_c == LITEMRC_CONTEXT_ENDED, "ended");

static struct litemrc_context known[256], reported[HOSTS][256];

static bool same(const struct litemrc_context *a, const struct litemrc_context *b)
{
	return a->state == b->state && a->pid == b->pid && !memcmp(a->comm, b->comm, sizeof(a->comm));
}

void followers_init(void)
{
	for (uint32_t context = 0; context < parameters.contexts; context++)
		if (driver_followed(context, &known[context]))
			known[context].state = LITEMRC_CONTEXT_FREE;
	followers_join(SERIAL);
}

void followers_join(unsigned int host)
{
	memcpy(reported[host], known, sizeof(known));
}

void followers_note(const struct litemrc_epoch *record)
{
	for (uint32_t context = 0; context < parameters.contexts; context++) {
		const struct litemrc_context *followed = litemrc_epoch_context(record, context);

		if (followed->state >= LITEMRC_CONTEXT_FREE && followed->state <= LITEMRC_CONTEXT_ENDED)
			known[context] = *followed;
	}
}

static void report(unsigned int host, uint32_t context)
{
	static struct device_message message;
	char comm[sizeof(known[0].comm) + 1];

	message.type_choice = device_message_type_process_c;
	message.process = (struct process_body){
		.state.process_state_choice = known[context].state,
		.context = context,
		.pid = known[context].pid,
		.comm.comm.value = (uint8_t *)comm,
		.comm.comm.len = copy_name(comm, sizeof(comm), known[context].comm, sizeof(known[0].comm)),
		.epoch_messages = epochs_sent(),
	};
	host_send(host, &message);
	reported[host][context] = known[context];
}

static bool report_to(unsigned int host)
{
	for (uint32_t context = 0; context < parameters.contexts; context++) {
		if (same(&reported[host][context], &known[context]))
			continue;
		if (!host_has_room(host))
			return false;
		report(host, context);
	}
	return true;
}

bool followers_report(void)
{
	bool all_to_serial = false;

	for (unsigned int host = 0; host < HOSTS; host++) {
		bool all = hosts_has(host) && report_to(host);

		host_hold(host, !all);
		if (host == SERIAL)
			all_to_serial = all;
	}
	return all_to_serial;
}

const struct litemrc_context *follower(uint32_t context)
{
	return &known[context];
}
