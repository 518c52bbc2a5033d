// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reference counters of the peer program, with refs=1: 1024 pages of 1 KB. Traffic is over at once: every access
 * of it counts in page order, round and round its range, as those of the generator, and the counters report what reaches
 * zero. While a program runs, a pages message stands behind each epoch: its numbers follow from that of the epoch.
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
	uint32_t initial, accesses, masters, contexts, lower, upper;
	uint32_t value[PAGES];
} counters[COUNTERS] = {{.upper = PAGES - 1}, {.upper = PAGES - 1}};
static bool counting;
static uint32_t counts_sent, pages_sent;

static void send_count(uint32_t page, int counter)
{
	static struct device_message message;

	message.type_choice = device_message_type_count_c;
	message.count = (struct count_body){
		.index = counts_sent++, .counter.page_counter_choice = counter, .page = page,
	};
	send_message(&message);
}

static void count(uint32_t page, bool write, int counter)
{
	bool counted = counting && counters[counter].accesses >> write & 1 &&
		       counters[counter].masters >> LITEMRC_MASTER_TRAFFIC & 1 &&
		       page >= counters[counter].lower && page <= counters[counter].upper;

	if (counted && counters[counter].value[page] && --counters[counter].value[page] == 0)
		send_count(page, counter);
}

static void run_traffic(const struct set_traffic_body *traffic)
{
	uint32_t words = 1u << (PAGE_SHIFT - WORD_SHIFT);
	uint32_t first = traffic->base / words, range = (1u << traffic->words_log2) / words;

	for (uint32_t i = 0; i < traffic->count; i++)
		for (int counter = 0; counter < COUNTERS; counter++)
			count(first + i % range, i % 256 < traffic->writes, counter);
}

/* As pages_of() in test_link_refs.py. */
void refs_send(uint32_t epoch, int context)
{
	static struct device_message message;

	if (!option.refs || context < 0)
		return;
	message.type_choice = device_message_type_pages_c;
	message.pages = (struct pages_body){
		.index = pages_sent++,
		.epoch = epoch,
		.context = context,
		.copies = 3,
		.room = 16,
		.references = 100 * (epoch + 1),
		.local = 60 * (epoch + 1),
		.remote_reads = 30 * (epoch + 1),
		.remote_writes = 10 * (epoch + 1),
		.home = 100 * (epoch + 1),
		.replications = 3,
		.cost = 5000 * (epoch + 1) + 2000,
	};
	send_message(&message);
}

static void acknowledge(struct ack_body *ack, int counter)
{
	ack->values[0] = counters[counter].initial;
	ack->values[1] = counters[counter].accesses;
	ack->values[2] = counters[counter].masters;
	ack->values[3] = counters[counter].contexts;
	ack->values[4] = counters[counter].lower;
	ack->values[5] = counters[counter].upper;
	ack->values[6] = counting;
	ack->values_count = 7;
}

static int arm(const struct arm_counter_body *request)
{
	int counter = request->counter.page_counter_choice;

	if (request->initial >> WIDTH || request->masters >> MASTERS || request->upper >= PAGES) {
		reason = "beyond what it has";
		return error_code_bad_argument_c;
	}
	counters[counter].initial = request->initial;
	counters[counter].accesses = request->accesses;
	counters[counter].masters = request->masters;
	counters[counter].contexts = request->contexts;
	counters[counter].lower = request->lower;
	counters[counter].upper = request->upper;
	for (int each = 0; each < COUNTERS; each++)
		for (uint32_t page = 0; page < PAGES; page++)
			counters[each].value[page] = counters[each].initial;
	counting = true;
	return 0;
}

int refs_perform(const struct host_request *request, struct ack_body *ack)
{
	static const uint32_t unit[] = {PAGES, PAGE_SHIFT, WIDTH, MASTERS, CONTEXTS, 0, 0};
	int error;

	if (!option.refs)
		return error_code_unsupported_c;
	switch (request->type_choice) {
	case host_request_type_get_ref_counters_c:
		memcpy(ack->values, unit, sizeof(unit));
		ack->values_count = 7;
		return 0;
	case host_request_type_arm_counter_c:
		error = arm(&request->arm_counter);
		acknowledge(ack, request->arm_counter.counter.page_counter_choice);
		return error;
	case host_request_type_get_counter_c:
		acknowledge(ack, request->get_counter.counter.page_counter_choice);
		return 0;
	case host_request_type_count_requests_c:
		counting = request->count_requests.on;
		return 0;
	case host_request_type_get_count_c:
		answer_values(counters[request->get_count.counter.page_counter_choice].value[request->get_count.page % PAGES],
			      0, 0, 1);
		return 0;
	case host_request_type_set_count_c:
		counters[request->set_count.counter.page_counter_choice].value[request->set_count.page % PAGES] =
			request->set_count.value;
		return 0;
	case host_request_type_set_traffic_c:
		run_traffic(&request->set_traffic);
		/* fall through */
	default:
		answer_values(0, WORD_SHIFT, WORDS_LOG2, 3);
		return 0;
	}
}
