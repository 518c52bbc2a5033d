// SPDX-License-Identifier: BSD-2-Clause
#include "refs.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <hw/common.h>
#include <irq.h>

#include "answer.h"
#include "link.h"
#include "litemrc_regs.h"
#include "ranks.h"
#include "traffic.h"

#ifdef CSR_REFS_BASE

#define FIELD(word, name) (((word) & LITEMRC_REFS_##name) >> LITEMRC_REFS_##name##_SHIFT)
/* The registers of UPDATE follow those of DELAY in the same order. */
#define OF(counter, name) \
	(LITEMRC_REFS_DELAY_##name + (counter) * (LITEMRC_REFS_UPDATE_INITIAL - LITEMRC_REFS_DELAY_INITIAL))

/* The link and the gateware number counters and masters alike; the registers have the order that OF() assumes. */
_Static_assert((int)page_counter_delay_c == LITEMRC_COUNTER_DELAY, "delay");
_Static_assert((int)page_counter_update_c == LITEMRC_COUNTER_UPDATE, "update");
_Static_assert(LITEMRC_MASTER_CPU == LITEMRC_REFS_MASTER_CPU, "cpu");
_Static_assert(LITEMRC_MASTER_REMOTE == LITEMRC_REFS_MASTER_REMOTE, "remote");
_Static_assert(LITEMRC_MASTER_TRAFFIC == LITEMRC_REFS_MASTER_TRAFFIC, "traffic");
_Static_assert(OF(LITEMRC_COUNTER_UPDATE, UPPER) == LITEMRC_REFS_UPDATE_UPPER, "upper");
_Static_assert(OF(LITEMRC_COUNTER_UPDATE, SELECT) == LITEMRC_REFS_UPDATE_SELECT, "select");

static void (*volatile consumer)(uint32_t page, uint32_t counter);
static uint32_t sent;

static uint32_t refs_read(uint32_t offset)
{
	return csr_read_simple(CSR_REFS_BASE + offset);
}

static void refs_write(uint32_t offset, uint32_t value)
{
	csr_write_simple(value, CSR_REFS_BASE + offset);
}

static volatile uint32_t *counter_of(uint32_t counter, uint32_t page)
{
	return (volatile uint32_t *)REFS_WINDOW_BASE + page * LITEMRC_REFS_COUNTERS + counter;
}

static uint32_t pages(void)
{
	return 1u << FIELD(refs_read(LITEMRC_REFS_CAPABILITIES), CAPABILITIES_PAGES_LOG2);
}

uint32_t refs_page_shift(void)
{
	return FIELD(refs_read(LITEMRC_REFS_CAPABILITIES), CAPABILITIES_PAGE_SHIFT);
}

uint32_t refs_value(uint32_t counter, uint32_t page)
{
	return *counter_of(counter, page);
}

void refs_load(uint32_t counter, uint32_t page, uint32_t value)
{
	*counter_of(counter, page) = value;
}

void refs_rearm(uint32_t counter, uint32_t page)
{
	refs_load(counter, page, LITEMRC_REFS_LOAD_INITIAL);
}

uint32_t refs_lost(void)
{
	return refs_read(LITEMRC_REFS_LOST) + refs_taps_lost_read();
}

void refs_select(uint32_t counter, const struct refs_selection *selection)
{
	refs_write(OF(counter, INITIAL), selection->initial);
	refs_write(OF(counter, SELECT), selection->accesses << LITEMRC_REFS_DELAY_SELECT_READS_SHIFT |
		   selection->masters << LITEMRC_REFS_DELAY_SELECT_MASTERS_SHIFT |
		   selection->contexts << LITEMRC_REFS_DELAY_SELECT_CONTEXTS_SHIFT);
	refs_write(OF(counter, LOWER), selection->lower);
	refs_write(OF(counter, UPPER), selection->upper);
}

void refs_restart(bool on)
{
	refs_write(LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_RESET);
	while (refs_read(LITEMRC_REFS_STATUS) & LITEMRC_REFS_STATUS_RESET_PENDING)
		;
	refs_write(LITEMRC_REFS_CONTROL, on ? LITEMRC_REFS_CONTROL_ENABLE : 0);
}

void refs_init(void (*on_event)(void))
{
	irq_attach(REFS_INTERRUPT, on_event);
	irq_setmask(irq_getmask() | (1 << REFS_INTERRUPT));
	refs_write(LITEMRC_REFS_EV_ENABLE, LITEMRC_REFS_EV_ENABLE_EVENT);
}

void refs_give_events(void (*to)(uint32_t page, uint32_t counter))
{
	consumer = to;
}

static void send_count(uint32_t page, uint32_t counter)
{
	link_message.type_choice = device_message_type_count_c;
	link_message.count = (struct count_body){
		.index = sent++,
		.counter.page_counter_choice = counter,
		.page = page,
		.lost.lost = refs_read(LITEMRC_REFS_LOST),
	};
	link_send(&link_message);
}

void refs_progress(bool between_epochs)
{
	bool stuck = false;
	uint32_t event;

	while (!stuck && (event = refs_read(LITEMRC_REFS_EVENT)) & LITEMRC_REFS_EVENT_VALID) {
		stuck = !consumer && (!link_has_room() || !between_epochs);
		if (stuck)
			break;
		refs_write(LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_NEXT);
		(consumer ? consumer : send_count)(FIELD(event, EVENT_PAGE), FIELD(event, EVENT_COUNTER));
	}
	/* Without room the link's interrupt calls again; the counters' level interrupt would be raised endlessly. */
	refs_write(LITEMRC_REFS_EV_ENABLE, stuck ? 0 : LITEMRC_REFS_EV_ENABLE_EVENT);
}

static void acknowledge_unit(struct ack_body *ack)
{
	uint32_t word = refs_read(LITEMRC_REFS_CAPABILITIES);

	ack->values[0] = pages();
	ack->values[1] = FIELD(word, CAPABILITIES_PAGE_SHIFT);
	ack->values[2] = FIELD(word, CAPABILITIES_WIDTH);
	ack->values[3] = FIELD(word, CAPABILITIES_MASTERS);
	ack->values[4] = FIELD(word, CAPABILITIES_CONTEXTS);
	ack->values[5] = refs_read(LITEMRC_REFS_LOST);
	ack->values[6] = refs_taps_lost_read();
	ack->values_count = 7;
}

static void acknowledge_counter(struct ack_body *ack, uint32_t counter)
{
	uint32_t select = refs_read(OF(counter, SELECT));

	ack->values[0] = refs_read(OF(counter, INITIAL));
	ack->values[1] = select & (LITEMRC_REFS_DELAY_SELECT_READS | LITEMRC_REFS_DELAY_SELECT_WRITES);
	ack->values[2] = FIELD(select, DELAY_SELECT_MASTERS);
	ack->values[3] = FIELD(select, DELAY_SELECT_CONTEXTS);
	ack->values[4] = refs_read(OF(counter, LOWER));
	ack->values[5] = refs_read(OF(counter, UPPER));
	ack->values[6] = refs_read(LITEMRC_REFS_CONTROL) & LITEMRC_REFS_CONTROL_ENABLE;
	ack->values_count = 7;
}

static int arm(const struct arm_counter_body *arm, const char **reason)
{
	uint32_t word = refs_read(LITEMRC_REFS_CAPABILITIES);
	struct refs_selection selection = {
		arm->initial, arm->accesses, arm->masters, arm->contexts, arm->lower, arm->upper,
	};

	if (arm->initial >> FIELD(word, CAPABILITIES_WIDTH))
		return refuse(reason, error_code_bad_argument_c, "the value does not fit into the counter");
	if (arm->masters >> FIELD(word, CAPABILITIES_MASTERS) || arm->contexts >> FIELD(word, CAPABILITIES_CONTEXTS))
		return refuse(reason, error_code_bad_argument_c, "there is no such master or context");
	if (arm->lower > arm->upper || arm->upper >= pages())
		return refuse(reason, error_code_bad_argument_c, "there is no such range of pages");
	if (consumer)
		return refuse(reason, error_code_busy_c, "a program uses the counters");
	refs_write(LITEMRC_REFS_CONTROL, 0);
	refs_select(arm->counter.page_counter_choice, &selection);
	refs_restart(true);
	return 0;
}

static int set_count(const struct set_count_body *set, const char **reason)
{
	if (set->page >= pages())
		return refuse(reason, error_code_bad_argument_c, "there is no such page");
	if (set->value >> FIELD(refs_read(LITEMRC_REFS_CAPABILITIES), CAPABILITIES_WIDTH))
		return refuse(reason, error_code_bad_argument_c, "the value does not fit into the counter");
	if (consumer)
		return refuse(reason, error_code_busy_c, "a program uses the counters");
	refs_load(set->counter.page_counter_choice, set->page, set->value);
	return 0;
}

static int count_requests(bool on, const char **reason)
{
	if (consumer)
		return refuse(reason, error_code_busy_c, "a program uses the counters");
	refs_write(LITEMRC_REFS_CONTROL, on ? LITEMRC_REFS_CONTROL_ENABLE : 0);
	return 0;
}

uint32_t refs_features(void)
{
	return 1u << LITEMRC_FEATURE_REF_COUNTERS | 1u << LITEMRC_FEATURE_TRAFFIC;
}

int refs_perform(const struct host_request *request, struct ack_body *ack, const char **reason)
{
	int error = 0;

	switch (request->type_choice) {
	case host_request_type_get_ref_counters_c:
		acknowledge_unit(ack);
		return 0;
	case host_request_type_arm_counter_c:
		error = arm(&request->arm_counter, reason);
		acknowledge_counter(ack, request->arm_counter.counter.page_counter_choice);
		return error;
	case host_request_type_get_counter_c:
		acknowledge_counter(ack, request->get_counter.counter.page_counter_choice);
		return 0;
	case host_request_type_count_requests_c:
		return count_requests(request->count_requests.on, reason);
	case host_request_type_get_count_c:
		if (request->get_count.page >= pages())
			return refuse(reason, error_code_bad_argument_c, "there is no such page");
		acknowledge(ack, 1, refs_value(request->get_count.counter.page_counter_choice, request->get_count.page),
			    0, 0);
		return 0;
	case host_request_type_set_count_c:
		return set_count(&request->set_count, reason);
	case host_request_type_get_traffic_c:
	case host_request_type_set_traffic_c:
		if (consumer && request->type_choice == host_request_type_set_traffic_c)
			return refuse(reason, error_code_busy_c, "a program uses the generator");
		return traffic_perform(request, ack, reason);
	default:
		return ranks_perform(request, ack, reason);
	}
}

#else	/* no reference counters in this SoC */

void refs_init(void (*on_event)(void))
{
	(void)on_event;
}

void refs_progress(bool between_epochs)
{
	(void)between_epochs;
}

uint32_t refs_features(void)
{
	return 0;
}

int refs_perform(const struct host_request *request, struct ack_body *ack, const char **reason)
{
	switch (request->type_choice) {
	case host_request_type_get_ref_counters_c:
	case host_request_type_arm_counter_c:
	case host_request_type_get_counter_c:
	case host_request_type_count_requests_c:
	case host_request_type_get_count_c:
	case host_request_type_set_count_c:
	case host_request_type_get_traffic_c:
	case host_request_type_set_traffic_c:
		return refuse(reason, error_code_unsupported_c, "the device has no reference counters");
	default:
		return ranks_perform(request, ack, reason);
	}
}

#endif
