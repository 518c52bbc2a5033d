// SPDX-License-Identifier: BSD-2-Clause
#include "page_messages.h"

#include <string.h>

#include "link.h"

#define MESSAGE_WORDS (LITEMRC_ACCESSED_FRAMES / LITEMRC_BITMAP_FRAMES)	/* of the bitmap, in a message */
#define PLACES(body) (sizeof(((struct body *)0)->frames) / sizeof(uint32_t))
#define MESSAGE_HOT_PAGES PLACES(hot_body)

_Static_assert(LITEMRC_HOT_QUEUED_MAX <= PLACES(queued_body), "a message holds the gateware's queue");

static struct {
	uint32_t sent;	/* since boot; the others are of the epoch in the window */
	uint32_t piece, remaining, first_word;
	bool begun;
} accessed, hot;
static uint32_t queued_sent;

static uint32_t least(uint32_t one, uint32_t other)
{
	return one < other ? one : other;
}

struct epoch_settings page_messages_settings(void)
{
	uint32_t stack = monitor_read(LITEMRC_STACK_CAPABILITIES);
	bool has_hot = stack & LITEMRC_STACK_CAPABILITIES_HOT_PAGES_LOG2;

	return (struct epoch_settings){
		.scale_log2 = monitor_read(LITEMRC_SCALE) & LITEMRC_SCALE_SCALE_LOG2,
		.split = monitor_read(LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT,
		.hot = has_hot && monitor_read(LITEMRC_HOT_CONTROL) & LITEMRC_HOT_CONTROL_ENABLE,
		.hot_status = has_hot ? monitor_read(LITEMRC_HOT_STATUS) : 0,
	};
}

/* ---------------------------------------------------------------------------------------------- accessed */

static uint32_t bitmap_word(const struct device_parameters *p, bool written, uint32_t word)
{
	uint32_t first = LITEMRC_WINDOW_ACCESSED(p->groups, p->contexts);

	return monitor_window(p->groups, 0, first + (written ? p->frames / LITEMRC_BITMAP_FRAMES : 0) + word);
}

/* Returns the first word from `word` on from which the words of a message are not all 0; the number of words if none. */
static uint32_t find_accessed(const struct device_parameters *p, uint32_t word)
{
	uint32_t words = p->frames / LITEMRC_BITMAP_FRAMES, end;

	for (; word < words; word = end) {
		end = least(word + MESSAGE_WORDS, words);
		for (uint32_t i = word; i < end; i++)
			if (bitmap_word(p, false, i))
				return word;
	}
	return words;
}

static uint32_t count_messages(const struct device_parameters *p)
{
	uint32_t words = p->frames / LITEMRC_BITMAP_FRAMES, messages = 0;

	for (uint32_t word = 0; (word = find_accessed(p, word)) < words; word += MESSAGE_WORDS)
		messages++;
	return messages ? messages : 1;
}

/* Copies the words of a message, and sets the length without the zeros at the end. */
static void copy_bits(const struct device_parameters *p, bool written, uint8_t *bits, struct zcbor_string *string)
{
	uint32_t words = least(MESSAGE_WORDS, p->frames / LITEMRC_BITMAP_FRAMES - accessed.first_word);

	for (uint32_t i = 0; i < words; i++) {
		uint32_t word = bitmap_word(p, written, accessed.first_word + i);

		memcpy(bits + 4 * i, &word, 4);
	}
	string->value = bits;
	for (string->len = 4 * words; string->len && !bits[string->len - 1]; string->len--)
		;
}

static void send_accessed(const struct device_parameters *p)
{
	static uint8_t bits[2][LITEMRC_ACCESSED_FRAMES / 8];
	struct accessed_body *message = &link_message.accessed;
	uint32_t found = find_accessed(p, accessed.first_word);

	accessed.first_word = found < p->frames / LITEMRC_BITMAP_FRAMES ? found : 0;
	link_message.type_choice = device_message_type_accessed_c;
	message->index = accessed.sent++;
	message->epoch = monitor_read(LITEMRC_EPOCH) - 1;
	message->piece = accessed.piece++;
	message->remaining = --accessed.remaining;
	message->first = accessed.first_word * LITEMRC_BITMAP_FRAMES;
	copy_bits(p, false, bits[0], &message->accessed);
	copy_bits(p, true, bits[1], &message->written.written);
	accessed.first_word += MESSAGE_WORDS;
	link_send(&link_message);
}

/* --------------------------------------------------------------------------------------------------- hot */

static void send_hot(const struct device_parameters *p, uint32_t status)
{
	struct hot_body *message = &link_message.hot;
	uint32_t bitmap = device_has(&registers.device, LITEMRC_FEATURE_PAGE_BITMAP) ? LITEMRC_BITMAP_WORDS(p->frames) : 0;
	uint32_t first = hot.piece * MESSAGE_HOT_PAGES;
	uint32_t place = LITEMRC_WINDOW_HOT(p->groups, p->contexts, bitmap) + first * LITEMRC_HOT_PAGE_WORDS;
	uint32_t listed = (status & LITEMRC_HOT_STATUS_LISTED) >> LITEMRC_HOT_STATUS_LISTED_SHIFT;

	link_message.type_choice = device_message_type_hot_c;
	message->index = hot.sent++;
	message->epoch = monitor_read(LITEMRC_EPOCH) - 1;
	message->piece = hot.piece++;
	message->remaining = --hot.remaining;
	message->accesses = monitor_read(LITEMRC_HOT_ACCESSES);
	message->more.more = status & LITEMRC_HOT_STATUS_MORE;
	message->saturated.saturated = status & LITEMRC_HOT_STATUS_SATURATED;
	message->frames_count = message->counts_count = least(listed - first, MESSAGE_HOT_PAGES);
	for (uint32_t i = 0; i < message->frames_count; i++) {
		message->frames[i] = monitor_window(p->groups, 0, place + LITEMRC_HOT_PAGE_WORDS * i);
		message->counts[i] = monitor_window(p->groups, 0, place + LITEMRC_HOT_PAGE_WORDS * i + 1);
	}
	link_send(&link_message);
}

static uint32_t count_hot_messages(uint32_t status)
{
	uint32_t listed = (status & LITEMRC_HOT_STATUS_LISTED) >> LITEMRC_HOT_STATUS_LISTED_SHIFT;

	return listed ? (listed + MESSAGE_HOT_PAGES - 1) / MESSAGE_HOT_PAGES : 1;
}

/* ------------------------------------------------------------------------------------------------------- */

bool page_messages_send(const struct device_parameters *parameters, struct epoch_settings settings)
{
	if (registers.accessed_messages && !accessed.begun) {
		accessed.begun = true;
		accessed.piece = accessed.first_word = 0;
		accessed.remaining = count_messages(parameters);
	}
	for (; registers.accessed_messages && accessed.remaining; send_accessed(parameters))
		if (!link_has_room())
			return false;
	if (registers.hot_messages && settings.hot && !hot.begun) {
		hot.begun = true;
		hot.piece = 0;
		hot.remaining = count_hot_messages(settings.hot_status);
	}
	for (; hot.begun && hot.remaining; send_hot(parameters, settings.hot_status))
		if (!link_has_room())
			return false;
	accessed.begun = hot.begun = false;
	return true;
}

static void send_queued(void)
{
	struct queued_body *message = &link_message.queued;
	bool overflow = monitor_read(LITEMRC_HOT_STATUS) & LITEMRC_HOT_STATUS_QUEUE_OVERFLOW;
	uint32_t page;

	link_message.type_choice = device_message_type_queued_c;
	message->index = queued_sent++;
	message->overflow.overflow = overflow;
	message->frames_count = 0;
	while (message->frames_count < LITEMRC_HOT_QUEUED_MAX &&
	       (page = monitor_read(LITEMRC_HOT_QUEUE)) & LITEMRC_HOT_QUEUE_VALID) {
		message->frames[message->frames_count++] = page & LITEMRC_HOT_QUEUE_FRAME;
		monitor_write(LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE |
			      (overflow ? LITEMRC_HOT_COMMAND_ACKNOWLEDGE : 0));
		overflow = false;
	}
	link_send(&link_message);
}

void page_messages_drain(const struct device_parameters *parameters, bool between_epochs)
{
	bool stuck = false;

	if (!parameters->hot_pages)
		return;
	while (!stuck && monitor_read(LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID) {
		stuck = !between_epochs || !link_has_room();
		if (!stuck)
			send_queued();
	}
	/* Without room the link's interrupt calls again; the monitor's level interrupt would be raised endlessly. */
	monitor_interrupts(LITEMRC_EV_ENABLE_HOT, stuck ? 0 : LITEMRC_EV_ENABLE_HOT);
}
