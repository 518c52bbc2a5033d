// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reference counters of the peer program, with refs=1: 1024 pages of 1 KB. Traffic is over at once: every access
 * of it counts in page order, round and round its range, as those of the generator, and the counters report what reaches
 * zero. While a program runs, each epoch has a part of copies: its numbers follow from that of the epoch.
 */
#include <string.h>

#include "peer.h"

#define PAGES 1024u
#define PAGE_SHIFT 10u
#define WIDTH 12u
#define MASTERS 4u
#define WORD_SHIFT 3u
#define WORDS_LOG2 22u
#define COUNTERS 2

static struct {
	struct {
		uint32_t initial, accesses, masters, contexts, lower, upper;
	} armed;
	uint32_t value[PAGES];
} counters[COUNTERS] = {{.armed.upper = PAGES - 1}, {.armed.upper = PAGES - 1}};
static uint32_t *const counting = settings[DEVICE_COUNTING].values;
static uint32_t counts_sent;

static void send_count(uint32_t page, uint32_t counter)
{
	const struct litemrc_count count = {.index = counts_sent++, .counter = counter, .page = page};

	send_message(LITEMRC_MESSAGE_COUNT, &count, sizeof(count));
}

static void count(uint32_t page, bool write, int counter)
{
	bool counted = *counting && counters[counter].armed.accesses >> write & 1 &&
		       counters[counter].armed.masters >> LITEMRC_MASTER_TRAFFIC & 1 &&
		       page >= counters[counter].armed.lower && page <= counters[counter].armed.upper;

	if (counted && counters[counter].value[page] && --counters[counter].value[page] == 0)
		send_count(page, counter);
}

/* The values are those of DEVICE_TRAFFIC. */
static void run_traffic(const uint32_t *values)
{
	uint32_t words = 1u << (PAGE_SHIFT - WORD_SHIFT);
	uint32_t first = values[0] / words, range = (1u << values[1]) / words, writes = values[4];

	for (uint32_t i = 0; i < values[7]; i++)
		for (int counter = 0; counter < COUNTERS; counter++)
			count(first + i % range, i % 256 < writes, counter);
}

/* As pages_of() in test_link_refs.py. */
void refs_add(int context)
{
	struct litemrc_copies *copies;
	uint32_t epochs = epoch_number + 1;

	if (!option.refs || context < 0)
		return;
	copies = epoch_part(LITEMRC_PART_COPIES, sizeof(*copies), 1);
	*copies = (struct litemrc_copies){
		.context = context,
		.copies = 3,
		.room = 16,
		.references = 100 * epochs,
		.local = 60 * epochs,
		.remote_reads = 30 * epochs,
		.remote_writes = 10 * epochs,
		.home = 100 * epochs,
		.replications = 3,
		.cost = 5000 * epochs + 2000,
	};
}

void refs_describe(struct device_parameters *p)
{
	p->features |= 1 << LITEMRC_FEATURE_REF_COUNTERS | 1 << LITEMRC_FEATURE_TRAFFIC;
	p->counter_pages = PAGES;
	p->counter_width = WIDTH;
	p->counter_masters = MASTERS;
	p->counter_contexts = CONTEXTS;
	p->traffic_words_log2 = WORDS_LOG2;
}

void refs_get(enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	uint32_t of = arguments[0];

	switch (setting) {
	case DEVICE_REF_COUNTERS:
		ANSWER(answer, PAGES, PAGE_SHIFT, WIDTH, MASTERS, CONTEXTS, 0, 0);
		break;
	case DEVICE_COUNTER:
		ANSWER(answer, counters[of].armed.initial, counters[of].armed.accesses, counters[of].armed.masters,
		       counters[of].armed.contexts, counters[of].armed.lower, counters[of].armed.upper, *counting);
		break;
	case DEVICE_COUNT:
		ANSWER(answer, counters[of].value[arguments[1]]);
		break;
	default: /* DEVICE_TRAFFIC */
		ANSWER(answer, 0, WORD_SHIFT, WORDS_LOG2);
		break;
	}
}

/* Arming loads all counters. */
static void arm(uint32_t counter, const uint32_t *values)
{
	memcpy(&counters[counter].armed, values, sizeof(counters[counter].armed));
	for (int each = 0; each < COUNTERS; each++)
		for (uint32_t page = 0; page < PAGES; page++)
			counters[each].value[page] = counters[each].armed.initial;
	*counting = true;
}

void refs_set(enum device_setting setting, const uint32_t *values)
{
	if (setting == DEVICE_COUNTER)
		arm(values[0], values + 1);
	else if (setting == DEVICE_COUNT)
		counters[values[0]].value[values[1]] = values[2];
	else
		run_traffic(values);
}
