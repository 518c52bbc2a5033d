// SPDX-License-Identifier: BSD-2-Clause
/*
 * Page bitmap and hot pages of the peer program, with pages=1. The pages of an epoch follow from its number as those of
 * accessed_of() and hot_of() in link_messages.py.
 */
#include <string.h>

#include "peer.h"

#define TOUCHES 10u
#define MESSAGE_FRAMES 1024u
#define MESSAGE_PAGES 64u

/* Places in the values of the settings. */
enum { ACCESSED, HOT };
enum { ENABLE, ALWAYS_ON = 3, WANTED = 6 };

static const uint32_t *const enabled = settings[DEVICE_ENABLE].values;
static const uint32_t *const selected = settings[DEVICE_PAGE_MESSAGES].values;
static const uint32_t *const hot = settings[DEVICE_HOT].values;
static uint32_t accessed_sent, hot_sent, queued_sent;
static struct device_message message;

static void set_bit(uint8_t *bits, uint32_t frame)
{
	bits[frame / 8] |= 1 << frame % 8;
}

static bool all_zero(const uint8_t *bits)
{
	static const uint8_t zeros[MESSAGE_FRAMES / 8];

	return !memcmp(bits, zeros, sizeof(zeros));
}

static struct zcbor_string cut(const uint8_t *bits)
{
	struct zcbor_string string = {bits, MESSAGE_FRAMES / 8};

	while (string.len && !bits[string.len - 1])
		string.len--;
	return string;
}

static void send_unless_lost(uint32_t epoch, bool first)
{
	if (!fault("hole") || epoch != FAULT_EPOCH || !first)
		send_message(&message);
}

static void send_accessed(uint32_t epoch)
{
	uint8_t accessed[FRAMES / 8] = {0}, written[FRAMES / 8] = {0};
	uint32_t messages = 0, piece = 0;

	for (uint32_t k = 0; k < TOUCHES && *enabled; k++) {
		set_bit(accessed, (epoch * 331 + k * k * 97) % FRAMES);
		if (k % 2)
			set_bit(written, (epoch * 331 + k * k * 97) % FRAMES);
	}
	for (uint32_t first = 0; first < FRAMES; first += MESSAGE_FRAMES)
		messages += !all_zero(accessed + first / 8);
	if (!messages)
		messages = 1;
	for (uint32_t first = 0; piece < messages; first += MESSAGE_FRAMES) {
		if (*enabled && all_zero(accessed + first / 8))
			continue;
		message.type_choice = device_message_type_accessed_c;
		message.accessed = (struct accessed_body){
			.index = accessed_sent++, .epoch = epoch, .piece = piece, .remaining = messages - piece - 1,
			.first = first, .accessed = cut(accessed + first / 8), .written.written = cut(written + first / 8),
		};
		send_unless_lost(epoch, piece++ == 0);
	}
}

static void send_hot(uint32_t epoch)
{
	uint32_t found = *enabled ? epoch % 3 * 50 : 0;
	uint32_t listed = found < hot[WANTED] ? found : hot[WANTED];
	uint32_t messages = listed ? (listed + MESSAGE_PAGES - 1) / MESSAGE_PAGES : 1;

	for (uint32_t piece = 0; piece < messages; piece++) {
		struct hot_body *body = &message.hot;

		message.type_choice = device_message_type_hot_c;
		*body = (struct hot_body){
			.index = hot_sent++, .epoch = epoch, .piece = piece, .remaining = messages - piece - 1,
			.accesses = found * 1000 + epoch, .more.more = listed < found, .saturated.saturated = epoch % 5 == 4,
		};
		for (uint32_t i = piece * MESSAGE_PAGES; i < listed && i < (piece + 1) * MESSAGE_PAGES; i++) {
			body->frames[body->frames_count++] = (epoch + 17 * i) % FRAMES;
			body->counts[body->counts_count++] = 1000 - i;
		}
		send_unless_lost(epoch, piece == 0);
	}
}

void pages_send(uint32_t epoch)
{
	if (selected[ACCESSED])
		send_accessed(epoch);
	if (selected[HOT] && hot[ENABLE])
		send_hot(epoch);
	if (hot[ENABLE] && hot[ALWAYS_ON]) {
		message.type_choice = device_message_type_queued_c;
		message.queued = (struct queued_body){
			.index = queued_sent++, .overflow.overflow = epoch % 4 == 3,
			.frames = {epoch, epoch + 1}, .frames_count = 2,
		};
		send_message(&message);
	}
}
