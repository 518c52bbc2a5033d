// SPDX-License-Identifier: BSD-2-Clause
/* The registers of the reference counters and of the traffic generator. */
#include "register_access.h"

/* The registers of UPDATE follow those of DELAY in the same order. */
#define OF(counter, name) \
	(LITEMRC_REFS_DELAY_##name + (counter) * (LITEMRC_REFS_UPDATE_INITIAL - LITEMRC_REFS_DELAY_INITIAL))
_Static_assert(OF(LITEMRC_COUNTER_UPDATE, UPPER) == LITEMRC_REFS_UPDATE_UPPER, "upper");
_Static_assert(OF(LITEMRC_COUNTER_UPDATE, SELECT) == LITEMRC_REFS_UPDATE_SELECT, "select");

static uint32_t refs(struct register_device *r, uint32_t offset)
{
	return register_read(r, BLOCK_REFS, offset);
}

static void set_refs(struct register_device *r, uint32_t offset, uint32_t value)
{
	register_write(r, BLOCK_REFS, offset, value);
}

static uint32_t count_offset(const uint32_t *arguments)
{
	return 4 * (arguments[1] * LITEMRC_REFS_COUNTERS + arguments[0]);
}

void registers_select(struct register_device *r, uint32_t counter, const struct counter_selection *selection)
{
	set_refs(r, OF(counter, INITIAL), selection->initial);
	set_refs(r, OF(counter, SELECT),
		 selection->accesses << LITEMRC_REFS_DELAY_SELECT_READS_SHIFT |
		 PUT(REFS_DELAY_SELECT_MASTERS, selection->masters) | PUT(REFS_DELAY_SELECT_CONTEXTS, selection->contexts));
	set_refs(r, OF(counter, LOWER), selection->lower);
	set_refs(r, OF(counter, UPPER), selection->upper);
}

void registers_restart_counters(struct register_device *r, bool on)
{
	register_command(r, BLOCK_REFS, LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_RESET);
	register_wait(r, BLOCK_REFS, LITEMRC_REFS_STATUS, LITEMRC_REFS_STATUS_RESET_PENDING, 0, "the counters were not reset");
	set_refs(r, LITEMRC_REFS_CONTROL, PUT(REFS_CONTROL_ENABLE, on));
}

static void arm(struct register_device *r, const uint32_t *v)
{
	const struct counter_selection selection = {v[1], v[2], v[3], v[4], v[5], v[6]};

	r->counters_asked = true;
	set_refs(r, LITEMRC_REFS_CONTROL, 0);
	registers_select(r, v[0], &selection);
	registers_restart_counters(r, true);
}

static void get_unit(struct register_device *r, struct answer *answer)
{
	uint32_t word = refs(r, LITEMRC_REFS_CAPABILITIES);
	const struct device_parameters *p = &r->device.parameters;

	r->counters_asked = true;
	ANSWER(answer, p->counter_pages, FIELD(word, REFS_CAPABILITIES_PAGE_SHIFT), p->counter_width, p->counter_masters,
	       p->counter_contexts, refs(r, LITEMRC_REFS_LOST), register_read(r, BLOCK_TAPS, 0));
}

static void get_counter(struct register_device *r, uint32_t counter, struct answer *answer)
{
	uint32_t select = refs(r, OF(counter, SELECT));

	ANSWER(answer, refs(r, OF(counter, INITIAL)),
	       select & (LITEMRC_REFS_DELAY_SELECT_READS | LITEMRC_REFS_DELAY_SELECT_WRITES),
	       FIELD(select, REFS_DELAY_SELECT_MASTERS), FIELD(select, REFS_DELAY_SELECT_CONTEXTS),
	       refs(r, OF(counter, LOWER)), refs(r, OF(counter, UPPER)),
	       refs(r, LITEMRC_REFS_CONTROL) & LITEMRC_REFS_CONTROL_ENABLE);
}

static uint32_t traffic(struct register_device *r, uint32_t offset)
{
	return register_read(r, BLOCK_TRAFFIC, offset);
}

void registers_set_traffic(struct register_device *r, const uint32_t *v)
{
	const uint32_t pattern = PUT(TRAFFIC_PATTERN_KIND, v[2] ? LITEMRC_PATTERN_RANDOM : LITEMRC_PATTERN_STRIDE) |
				 PUT(TRAFFIC_PATTERN_MASKED, 1) | PUT(TRAFFIC_PATTERN_WRITES, v[4]) |
				 PUT(TRAFFIC_PATTERN_GAP, v[5]);

	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_COUNT, 0);
	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_BASE, v[0]);
	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_RANGE, v[1]);
	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_STRIDE, v[3]);
	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_PATTERN, pattern);
	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_SEED, v[6]);
	register_write(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_COUNT, v[7]);
}

void counters_get(struct register_device *r, enum device_setting setting, const uint32_t *arguments,
		  struct answer *answer)
{
	uint32_t words;

	switch (setting) {
	case DEVICE_REF_COUNTERS:
		get_unit(r, answer);
		break;
	case DEVICE_COUNTER:
		get_counter(r, arguments[0], answer);
		break;
	case DEVICE_COUNT:
		ANSWER(answer, register_read(r, BLOCK_REFS_WINDOW, count_offset(arguments)));
		break;
	default: /* DEVICE_TRAFFIC */
		words = traffic(r, LITEMRC_TRAFFIC_WORDS);
		ANSWER(answer, traffic(r, LITEMRC_TRAFFIC_LEFT), FIELD(words, TRAFFIC_WORDS_BYTES_LOG2),
		       FIELD(words, TRAFFIC_WORDS_COUNT_LOG2));
	}
}

void counters_set(struct register_device *r, enum device_setting setting, const uint32_t *v)
{
	switch (setting) {
	case DEVICE_COUNTER:
		arm(r, v);
		break;
	case DEVICE_COUNTING:
		set_refs(r, LITEMRC_REFS_CONTROL, PUT(REFS_CONTROL_ENABLE, v[0]));
		break;
	case DEVICE_COUNT:
		register_command(r, BLOCK_REFS_WINDOW, count_offset(v), v[2]);
		break;
	default: /* DEVICE_TRAFFIC */
		registers_set_traffic(r, v);
	}
}
