// SPDX-License-Identifier: BSD-2-Clause
/*
 * Page bitmap and hot pages of the peer program, with pages=1. The pages of an epoch follow from its number as those of
 * accessed_of() and hot_of() in link_messages.py.
 */
#include <string.h>

#include "peer.h"

#define TOUCHES 10u
#define BITS 32u	/* of a word */

/* Places in the values of the settings. */
enum { ACCESSED, HOT };
enum { ENABLE, ALWAYS_ON = 3, WANTED = 6 };

static const uint32_t *const enabled = settings[DEVICE_ENABLE].values;
static const uint32_t *const selected = settings[DEVICE_PAGE_MESSAGES].values;
static const uint32_t *const hot = settings[DEVICE_HOT].values;
static uint32_t queued_sent;

static void set_bit(uint32_t *words, uint32_t frame)
{
	words[frame / BITS] |= 1u << frame % BITS;
}

static void add_accessed(uint32_t epoch)
{
	uint32_t *accessed = epoch_part(LITEMRC_PART_ACCESSED, sizeof(uint32_t), FRAMES / BITS);
	uint32_t *written = epoch_part(LITEMRC_PART_WRITTEN, sizeof(uint32_t), FRAMES / BITS);

	for (uint32_t k = 0; k < TOUCHES && *enabled; k++) {
		uint32_t frame = (epoch * 331 + k * k * 97) % FRAMES;

		set_bit(accessed, frame);
		if (k % 2)
			set_bit(written, frame);
	}
}

static void add_hot(uint32_t epoch)
{
	uint32_t found = *enabled ? epoch % 3 * 50 : 0;
	uint32_t listed = found < hot[WANTED] ? found : hot[WANTED];
	struct litemrc_hot_page *pages = epoch_part(LITEMRC_PART_HOT, sizeof(*pages), listed);

	for (uint32_t i = 0; i < listed; i++)
		pages[i] = (struct litemrc_hot_page){.frame = (epoch + 17 * i) % FRAMES, .count = 1000 - i};
	epoch_head.hot_accesses = found * 1000 + epoch;
	epoch_head.flags |= (listed < found ? LITEMRC_EPOCH_HOT_MORE : 0) |
			    (epoch % 5 == 4 ? LITEMRC_EPOCH_HOT_SATURATED : 0);
}

void pages_add(void)
{
	if (selected[ACCESSED])
		add_accessed(epoch_number);
	if (selected[HOT] && hot[ENABLE])
		add_hot(epoch_number);
}

void pages_send_queued(void)
{
	const struct litemrc_queued queued = {
		.index = queued_sent, .overflow = epoch_number % 4 == 3, .frames_count = 2,
		.frames = {epoch_number, epoch_number + 1},
	};

	if (!hot[ENABLE] || !hot[ALWAYS_ON])
		return;
	queued_sent++;
	send_message(LITEMRC_MESSAGE_QUEUED, &queued, sizeof(queued));
}
