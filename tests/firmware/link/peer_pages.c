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
#define RAM_PAGE 0x40000u	/* the memory begins at 1 GiB */

static struct set_page_messages_body selected;
static struct set_hot_body hot = {
	.reads = true, .writes = true, .threshold = 2, .wanted = HOT_PAGES, .upper = FRAMES - 1, .watermark = 1,
};
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

	for (uint32_t k = 0; k < TOUCHES && monitor.on; k++) {
		set_bit(accessed, (epoch * 331 + k * k * 97) % FRAMES);
		if (k % 2)
			set_bit(written, (epoch * 331 + k * k * 97) % FRAMES);
	}
	for (uint32_t first = 0; first < FRAMES; first += MESSAGE_FRAMES)
		messages += !all_zero(accessed + first / 8);
	if (!messages)
		messages = 1;
	for (uint32_t first = 0; piece < messages; first += MESSAGE_FRAMES) {
		if (monitor.on && all_zero(accessed + first / 8))
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
	uint32_t found = monitor.on ? epoch % 3 * 50 : 0;
	uint32_t listed = found < hot.wanted ? found : hot.wanted;
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
	if (selected.accessed)
		send_accessed(epoch);
	if (selected.hot && hot.enable)
		send_hot(epoch);
	if (hot.enable && hot.always_on.always_on) {
		message.type_choice = device_message_type_queued_c;
		message.queued = (struct queued_body){
			.index = queued_sent++, .overflow.overflow = epoch % 4 == 3,
			.frames = {epoch, epoch + 1}, .frames_count = 2,
		};
		send_message(&message);
	}
}

static void acknowledge_hot(struct ack_body *ack)
{
	const uint32_t values[] = {
		hot.enable, hot.reads, hot.writes, hot.always_on.always_on, hot.sampling_log2.sampling_log2,
		hot.threshold, hot.wanted, hot.lower, hot.upper, hot.watermark,
	};

	memcpy(ack->values, values, sizeof(values));
	ack->values_count = sizeof(values) / sizeof(values[0]);
}

int pages_perform(const struct host_request *request, struct ack_body *ack)
{
	const struct set_hot_body *set = &request->set_hot;

	switch (request->type_choice) {
	case host_request_type_set_page_messages_c:
		if (!option.pages && (request->set_page_messages.accessed || request->set_page_messages.hot)) {
			reason = "there is no page bitmap, and no hot pages";
			return error_code_unsupported_c;
		}
		selected = request->set_page_messages;
		/* fall through */
	case host_request_type_get_page_messages_c:
		answer_values(selected.accessed, selected.hot, RAM_PAGE, 4);
		ack->values[3] = 0;
		return 0;
	case host_request_type_set_hot_c:
		if (!option.pages)
			break;
		if ((!set->reads && !set->writes) || set->lower > set->upper || set->upper >= FRAMES || !set->wanted ||
		    set->wanted > HOT_PAGES || !set->watermark || set->watermark > 16 || !set->threshold ||
		    set->threshold >> 20) {
			reason = "no such setting of hot pages";
			return error_code_bad_argument_c;
		}
		hot = *set;
		/* fall through */
	default:
		if (!option.pages)
			break;
		acknowledge_hot(ack);
		return 0;
	}
	reason = "there are no hot pages";
	return error_code_unsupported_c;
}
