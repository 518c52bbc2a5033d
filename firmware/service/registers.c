// SPDX-License-Identifier: BSD-2-Clause
#include "registers.h"

#include <string.h>

#define FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)
#define PUT(name, value) ((uint32_t)(value) << LITEMRC_##name##_SHIFT & LITEMRC_##name)
#define TRIES 3	/* of a write or command that a bridge may lose */
#define HELD_EPOCHS 2	/* in the window, and behind it one that is due, which ends when the window is released */

/* The registers of UPDATE follow those of DELAY in the same order. */
#define OF(counter, name) \
	(LITEMRC_REFS_DELAY_##name + (counter) * (LITEMRC_REFS_UPDATE_INITIAL - LITEMRC_REFS_DELAY_INITIAL))
_Static_assert(OF(LITEMRC_COUNTER_UPDATE, UPPER) == LITEMRC_REFS_UPDATE_UPPER, "upper");
_Static_assert(OF(LITEMRC_COUNTER_UPDATE, SELECT) == LITEMRC_REFS_UPDATE_SELECT, "select");

/* ----------------------------------------------------------------------------------------------- the bus */

static uint32_t read_of(struct register_device *r, enum register_block block, uint32_t offset)
{
	return r->bus->read(r->bus, block, offset);
}

/*
 * Gives a command, or writes what may read otherwise. Over a bridge a read keeps the packets of writes apart, whose rate
 * nothing else limits.
 */
static void command(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value)
{
	r->bus->write(r->bus, block, offset, value);
	if (r->bus->remote)
		read_of(r, block, offset);
}

/* Returns whether the register then reads the value; on a processor's bus it is not asked. */
static bool try_write(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value)
{
	for (int i = 0; i < TRIES; i++) {
		r->bus->write(r->bus, block, offset, value);
		if (!r->bus->remote || read_of(r, block, offset) == value)
			return true;
	}
	return false;
}

static void write_to(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value)
{
	if (!try_write(r, block, offset, value))
		r->failure = "a register reads otherwise than written: other software writes it";
}

static uint32_t monitor(struct register_device *r, uint32_t offset)
{
	return read_of(r, BLOCK_MRC, offset);
}

static void set_monitor(struct register_device *r, uint32_t offset, uint32_t value)
{
	write_to(r, BLOCK_MRC, offset, value);
}

static void control(struct register_device *r, uint32_t mask, bool on)
{
	set_monitor(r, LITEMRC_CONTROL, (monitor(r, LITEMRC_CONTROL) & ~mask) | (on ? mask : 0));
}

/* Waits until the bits of the status are `value`, and returns the status. */
static uint32_t wait_for(struct register_device *r, enum register_block block, uint32_t offset, uint32_t bits,
			 uint32_t value, const char *failure)
{
	uint32_t status, n = 0;

	while (((status = read_of(r, block, offset)) & bits) != value)
		if (!r->bus->wait(r->bus, ++n)) {
			r->failure = failure;
			break;
		}
	return status;
}

/* ----------------------------------------------------------------------------------------------- monitor */

static uint32_t wait_taken(struct register_device *r)
{
	return wait_for(r, BLOCK_MRC, LITEMRC_STATUS, LITEMRC_STATUS_COMMAND_PENDING, 0,
			"a command still waits for the queue");
}

/* Gives a command that goes through the monitor's queue, and waits until it is there. */
static void queue_command(struct register_device *r, uint32_t offset, uint32_t value)
{
	uint32_t before = wait_taken(r), after;

	if (offset == LITEMRC_COMMAND)
		command(r, BLOCK_MRC, offset, value);
	else
		set_monitor(r, offset, value);
	after = wait_taken(r);
	/* Only software of the SoC that gives commands, too, can have filled the places meanwhile. */
	if (r->bus->remote && after & ~before & LITEMRC_STATUS_COMMAND_LOST) {
		command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_ACKNOWLEDGE);
		r->failure = "a command was lost, perhaps this one: other software gives commands, too";
	}
}

static void clear(struct register_device *r)
{
	queue_command(r, LITEMRC_COMMAND, LITEMRC_COMMAND_CLEAR);
}

static bool is_due(struct register_device *r)
{
	return monitor(r, LITEMRC_STATUS) & LITEMRC_STATUS_EPOCH_DUE;
}

/* Over a bridge two requests in a row end two epochs: each is ended, and read, before the answer. */
static void end_epoch(struct register_device *r)
{
	uint32_t before = monitor(r, LITEMRC_EPOCH), n = 0;

	command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	if (!r->bus->remote)
		return;
	for (int i = 1; i < TRIES && !is_due(r) && monitor(r, LITEMRC_EPOCH) == before; i++)
		command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	while (is_due(r)) {
		r->settle(r);
		if (!r->bus->wait(r->bus, ++n)) {
			r->failure = "the epoch did not end";
			return;
		}
	}
	if (monitor(r, LITEMRC_EPOCH) == before)
		r->failure = "the epoch did not end, after several commands";
	r->settle(r);
}

struct change {
	uint32_t offset, value;
};

/* Pages queued before are dropped: they were counted with other settings. */
static void empty_queue(struct register_device *r)
{
	while (monitor(r, LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID)
		command(r, BLOCK_MRC, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE);
	command(r, BLOCK_MRC, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
}

/*
 * Disables the monitor, changes registers, clears it, and enables it again. Returns whether the registers read what was
 * written; if not, or if anything fails, nothing is changed.
 */
static bool change(struct register_device *r, const struct change *changes, size_t count, bool hot)
{
	bool enabled = monitor(r, LITEMRC_CONTROL) & LITEMRC_CONTROL_ENABLE, known = true;
	uint32_t before[8];
	size_t at = 0;

	control(r, LITEMRC_CONTROL_ENABLE, false);
	for (int i = 0; i < HELD_EPOCHS && !r->failure; i++) {
		wait_for(r, BLOCK_MRC, LITEMRC_STATUS, LITEMRC_STATUS_IDLE, LITEMRC_STATUS_IDLE,
			 "the monitor is not idle");
		r->settle(r);
	}
	while (known && !r->failure && at < count) {
		before[at] = monitor(r, changes[at].offset);
		known = try_write(r, BLOCK_MRC, changes[at].offset, changes[at].value) &&
			monitor(r, changes[at].offset) == changes[at].value;
		at++;
	}
	if (known && !r->failure)
		clear(r);
	while ((!known || r->failure) && at--)
		try_write(r, BLOCK_MRC, changes[at].offset, before[at]);
	if (DEVICE_HOT_PAGES && hot && known && !r->failure)
		empty_queue(r);
	control(r, LITEMRC_CONTROL_ENABLE, enabled);
	return known;
}

static int set_split(struct register_device *r, bool on, struct answer *answer)
{
	uint32_t word = monitor(r, LITEMRC_CONTROL) & ~(LITEMRC_CONTROL_ENABLE | LITEMRC_CONTROL_SPLIT);
	struct change split = {LITEMRC_CONTROL, word | PUT(CONTROL_SPLIT, on)};

	if (r->bus->remote && on && monitor(r, LITEMRC_CONTEXT) >= r->device.parameters.contexts / 2)
		return refuse(answer, error_code_busy_c, "the present context would own no pages: set another one first");
	if (!change(r, &split, 1, false))
		return refuse(answer, error_code_unsupported_c, "the gateware cannot count writes apart");
	return 0;
}

static int set_hot(struct register_device *r, const uint32_t *v, struct answer *answer)
{
	const struct change changes[] = {
		{LITEMRC_HOT_THRESHOLD, v[5]}, {LITEMRC_HOT_WANTED, v[6]}, {LITEMRC_HOT_LOWER, v[7]},
		{LITEMRC_HOT_UPPER, v[8]}, {LITEMRC_HOT_WATERMARK, v[9]},
		{LITEMRC_HOT_CONTROL, PUT(HOT_CONTROL_ENABLE, v[0]) | PUT(HOT_CONTROL_READS, v[1]) |
				      PUT(HOT_CONTROL_WRITES, v[2]) | PUT(HOT_CONTROL_ALWAYS_ON, v[3]) |
				      PUT(HOT_CONTROL_SAMPLING_LOG2, v[4])},
	};

	if (!change(r, changes, sizeof(changes) / sizeof(changes[0]), true))
		return refuse(answer, error_code_bad_argument_c, "the gateware has no such threshold");
	r->always_on = v[3];
	return 0;
}

static void get_hot(struct register_device *r, struct answer *answer)
{
	uint32_t word = monitor(r, LITEMRC_HOT_CONTROL);

	ANSWER(answer, FIELD(word, HOT_CONTROL_ENABLE), FIELD(word, HOT_CONTROL_READS), FIELD(word, HOT_CONTROL_WRITES),
	       FIELD(word, HOT_CONTROL_ALWAYS_ON), FIELD(word, HOT_CONTROL_SAMPLING_LOG2), monitor(r, LITEMRC_HOT_THRESHOLD),
	       monitor(r, LITEMRC_HOT_WANTED), monitor(r, LITEMRC_HOT_LOWER), monitor(r, LITEMRC_HOT_UPPER),
	       monitor(r, LITEMRC_HOT_WATERMARK));
}

/* ------------------------------------------------------------------------------------------------- ranks */

static uint32_t ranks(struct register_device *r, uint32_t offset)
{
	return read_of(r, BLOCK_RANKS, offset);
}

static void set_ranks(struct register_device *r, uint32_t offset, uint32_t value)
{
	write_to(r, BLOCK_RANKS, offset, value);
}

static void get_policy(struct register_device *r, struct answer *answer)
{
	uint32_t word = ranks(r, LITEMRC_RANKS_POLICY);

	ANSWER(answer, FIELD(word, RANKS_POLICY_KIND), FIELD(word, RANKS_POLICY_STATIC_STATE),
	       FIELD(word, RANKS_POLICY_MRC_STATE), FIELD(word, RANKS_POLICY_MRC_BASE),
	       ranks(r, LITEMRC_RANKS_THRESHOLD_POWER_DOWN), ranks(r, LITEMRC_RANKS_THRESHOLD_SELF_REFRESH));
}

static void set_policy(struct register_device *r, const uint32_t *v)
{
	set_ranks(r, LITEMRC_RANKS_THRESHOLD_POWER_DOWN, v[4]);
	set_ranks(r, LITEMRC_RANKS_THRESHOLD_SELF_REFRESH, v[5]);
	set_ranks(r, LITEMRC_RANKS_POLICY,
		  PUT(RANKS_POLICY_KIND, v[0]) | PUT(RANKS_POLICY_STATIC_STATE, v[1]) |
		  PUT(RANKS_POLICY_MRC_STATE, v[2]) | PUT(RANKS_POLICY_MRC_BASE, v[3]));
}

static int set_state(struct register_device *r, uint32_t domain, uint32_t state, struct answer *answer)
{
	if (state != power_state_awake_c && r->runs_from(r, domain))
		return refuse(answer, error_code_busy_c, "the firmware runs from this domain");
	set_ranks(r, LITEMRC_RANKS_COMMAND, PUT(RANKS_COMMAND_DOMAIN, domain) | PUT(RANKS_COMMAND_STATE, state));
	return 0;
}

static int set_loss(struct register_device *r, uint32_t domain, bool allowed, uint32_t part, struct answer *answer)
{
	uint32_t mask = ranks(r, LITEMRC_RANKS_PARTIAL_ALLOWED);

	if (allowed && (r->is_live(r, domain) || r->runs_from(r, domain)))
		return refuse(answer, error_code_busy_c, DEVICE_LIVE_PAGES);
	set_ranks(r, LITEMRC_RANKS_PARTIAL, part);
	set_ranks(r, LITEMRC_RANKS_PARTIAL_ALLOWED, allowed ? mask | 1u << domain : mask & ~(1u << domain));
	return 0;
}

static void get_working_set(struct register_device *r, struct answer *answer)
{
	uint32_t word = ranks(r, LITEMRC_RANKS_N_MRC_AUTO);

	ANSWER(answer, FIELD(word, RANKS_N_MRC_AUTO_ENABLE), ranks(r, LITEMRC_RANKS_N_MRC),
	       FIELD(word, RANKS_N_MRC_AUTO_EPSILON));
}

/* ------------------------------------------------------------------------------------ reference counters */

static uint32_t refs(struct register_device *r, uint32_t offset)
{
	return read_of(r, BLOCK_REFS, offset);
}

static void set_refs(struct register_device *r, uint32_t offset, uint32_t value)
{
	write_to(r, BLOCK_REFS, offset, value);
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
	command(r, BLOCK_REFS, LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_RESET);
	wait_for(r, BLOCK_REFS, LITEMRC_REFS_STATUS, LITEMRC_REFS_STATUS_RESET_PENDING, 0, "the counters were not reset");
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
	       p->counter_contexts, refs(r, LITEMRC_REFS_LOST), read_of(r, BLOCK_TAPS, 0));
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
	return read_of(r, BLOCK_TRAFFIC, offset);
}

static void set_traffic(struct register_device *r, const uint32_t *v)
{
	const uint32_t pattern = PUT(TRAFFIC_PATTERN_KIND, v[2] ? LITEMRC_PATTERN_RANDOM : LITEMRC_PATTERN_STRIDE) |
				 PUT(TRAFFIC_PATTERN_MASKED, 1) | PUT(TRAFFIC_PATTERN_WRITES, v[4]) |
				 PUT(TRAFFIC_PATTERN_GAP, v[5]);

	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_COUNT, 0);
	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_BASE, v[0]);
	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_RANGE, v[1]);
	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_STRIDE, v[3]);
	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_PATTERN, pattern);
	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_SEED, v[6]);
	write_to(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_COUNT, v[7]);
}

/* -------------------------------------------------------------------------------------------- operations */

static int done(struct register_device *r, struct answer *answer, int error)
{
	return r->failure ? refuse(answer, error_code_busy_c, r->failure) : error;
}

int registers_get(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	struct register_device *r = (struct register_device *)device;
	uint32_t word;

	switch (setting) {
	case DEVICE_EPOCH_LENGTH:
		word = monitor(r, LITEMRC_CONTROL) & LITEMRC_CONTROL_EPOCH_UNIT;
		ANSWER(answer, word ? epoch_unit_cycles_c : epoch_unit_accesses_c, monitor(r, LITEMRC_EPOCH_LENGTH));
		return 0;
	case DEVICE_CONTEXT:
		ANSWER(answer, monitor(r, LITEMRC_CONTEXT));
		return 0;
	case DEVICE_RANGE:
		ANSWER(answer, monitor(r, LITEMRC_RANGE_LOWER), monitor(r, LITEMRC_RANGE_UPPER));
		return 0;
	case DEVICE_SAMPLING:
		ANSWER(answer, monitor(r, LITEMRC_SAMPLING), FIELD(monitor(r, LITEMRC_SCALE), SCALE_SCALE_LOG2));
		return 0;
	case DEVICE_FREEZE:
		word = monitor(r, LITEMRC_CONTROL);
		ANSWER(answer, FIELD(word, CONTROL_FREEZE), FIELD(word, CONTROL_SINGLE_SHOT),
		       FIELD(monitor(r, LITEMRC_STATUS), STATUS_FROZEN));
		return 0;
	case DEVICE_SPLIT:
		ANSWER(answer, FIELD(monitor(r, LITEMRC_CONTROL), CONTROL_SPLIT));
		return 0;
	case DEVICE_HOT:
		if (!DEVICE_HOT_PAGES)
			break;
		get_hot(r, answer);
		return 0;
	case DEVICE_PAGE_MESSAGES:
		ANSWER(answer, r->accessed_messages, r->hot_messages);
		return 0;
	case DEVICE_DRAM:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		word = FIELD(ranks(r, LITEMRC_RANKS_CAPABILITIES), RANKS_CAPABILITIES_VIRTUAL);
		ANSWER(answer, device->parameters.ranks, word, device->parameters.power_states, r->dram_chips,
		       r->dram_phases, ranks(r, LITEMRC_RANKS_PARTIAL));
		answer_text(answer, r->dram_part);
		return 0;
	case DEVICE_RANK_POLICY:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		get_policy(r, answer);
		return 0;
	case DEVICE_RANK_LOSS:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		ANSWER(answer, ranks(r, LITEMRC_RANKS_PARTIAL_ALLOWED) >> arguments[0] & 1);
		return 0;
	case DEVICE_WORKING_SET:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		get_working_set(r, answer);
		return 0;
	case DEVICE_REF_COUNTERS:
		if (!DEVICE_CAN(REF_COUNTERS))
			break;
		get_unit(r, answer);
		return 0;
	case DEVICE_COUNTER:
		if (!DEVICE_CAN(REF_COUNTERS))
			break;
		get_counter(r, arguments[0], answer);
		return 0;
	case DEVICE_COUNT:
		if (!DEVICE_CAN(REF_COUNTERS))
			break;
		ANSWER(answer, read_of(r, BLOCK_REFS_WINDOW, count_offset(arguments)));
		return 0;
	default: /* DEVICE_TRAFFIC */
		if (!DEVICE_CAN(TRAFFIC))
			break;
		word = traffic(r, LITEMRC_TRAFFIC_WORDS);
		ANSWER(answer, traffic(r, LITEMRC_TRAFFIC_LEFT), FIELD(word, TRAFFIC_WORDS_BYTES_LOG2),
		       FIELD(word, TRAFFIC_WORDS_COUNT_LOG2));
		return 0;
	}
	return 0;
}

int registers_set(struct device *device, enum device_setting setting, const uint32_t *v, struct answer *answer)
{
	struct register_device *r = (struct register_device *)device;
	int error = 0;

	r->failure = NULL;
	switch (setting) {
	case DEVICE_EPOCH_LENGTH:
		control(r, LITEMRC_CONTROL_EPOCH_UNIT, v[0] == epoch_unit_cycles_c);
		set_monitor(r, LITEMRC_EPOCH_LENGTH, v[1]);
		break;
	case DEVICE_CONTEXT:
		set_monitor(r, LITEMRC_CONTEXT, v[0]);
		break;
	case DEVICE_ENABLE:
		control(r, LITEMRC_CONTROL_ENABLE, v[0]);
		break;
	case DEVICE_RANGE: {
		const struct change changes[] = {{LITEMRC_RANGE_LOWER, v[0]}, {LITEMRC_RANGE_UPPER, v[1]}};

		if (!change(r, changes, 2, false))
			error = refuse(answer, error_code_bad_argument_c, "the gateware has no such range");
		break;
	}
	case DEVICE_SAMPLING: {
		const struct change sampling = {LITEMRC_SAMPLING, v[0]};

		if (!change(r, &sampling, 1, false))
			error = refuse(answer, error_code_bad_argument_c, DEVICE_NO_SAMPLING);
		break;
	}
	case DEVICE_FREEZE:
		control(r, LITEMRC_CONTROL_FREEZE, v[0]);
		break;
	case DEVICE_SINGLE_SHOT:
		control(r, LITEMRC_CONTROL_SINGLE_SHOT, v[0]);
		break;
	case DEVICE_SPLIT:
		error = set_split(r, v[0], answer);
		break;
	case DEVICE_HOT:
		if (!DEVICE_HOT_PAGES)
			break;
		error = set_hot(r, v, answer);
		break;
	case DEVICE_PAGE_MESSAGES:
		r->accessed_messages = v[0];
		r->hot_messages = v[1];
		break;
	case DEVICE_RANK_POLICY:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		set_policy(r, v);
		break;
	case DEVICE_RANK_STATE:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		error = set_state(r, v[0], v[1], answer);
		break;
	case DEVICE_RANK_LOSS:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		error = set_loss(r, v[0], v[1], v[2], answer);
		break;
	case DEVICE_WORKING_SET:
		if (!DEVICE_CAN(RANK_POWER))
			break;
		set_ranks(r, LITEMRC_RANKS_N_MRC, v[1]);
		set_ranks(r, LITEMRC_RANKS_N_MRC_AUTO,
			  PUT(RANKS_N_MRC_AUTO_ENABLE, v[0]) | PUT(RANKS_N_MRC_AUTO_EPSILON, v[2]));
		break;
	case DEVICE_COUNTER:
		if (!DEVICE_CAN(REF_COUNTERS))
			break;
		arm(r, v);
		break;
	case DEVICE_COUNTING:
		if (!DEVICE_CAN(REF_COUNTERS))
			break;
		set_refs(r, LITEMRC_REFS_CONTROL, PUT(REFS_CONTROL_ENABLE, v[0]));
		break;
	case DEVICE_COUNT:
		if (!DEVICE_CAN(REF_COUNTERS))
			break;
		command(r, BLOCK_REFS_WINDOW, count_offset(v), v[2]);
		break;
	default: /* DEVICE_TRAFFIC */
		if (DEVICE_CAN(TRAFFIC))
			set_traffic(r, v);
	}
	return done(r, answer, error);
}

int registers_order(struct device *device, enum device_order order, uint32_t value, struct answer *answer)
{
	struct register_device *r = (struct register_device *)device;

	r->failure = NULL;
	switch (order) {
	case DEVICE_END_EPOCH:
		end_epoch(r);
		break;
	case DEVICE_CLEAR:
		r->settle(r);
		clear(r);
		break;
	case DEVICE_ARM:
		command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_ARM);
		break;
	case DEVICE_INVALIDATE:
		queue_command(r, LITEMRC_INVALIDATE, value);
	}
	return done(r, answer, 0);
}

void registers_open(struct register_device *r)
{
	struct device_parameters *p = &r->device.parameters;
	uint32_t word = monitor(r, LITEMRC_CAPABILITIES), stack = monitor(r, LITEMRC_STACK_CAPABILITIES);
	uint32_t hot_pages_log2 = FIELD(stack, STACK_CAPABILITIES_HOT_PAGES_LOG2);

	p->version = monitor(r, LITEMRC_VERSION);
	p->page_shift = FIELD(word, CAPABILITIES_PAGE_SHIFT);
	p->frames = 1u << FIELD(word, CAPABILITIES_FRAMES_LOG2);
	p->pages = 1u << FIELD(stack, STACK_CAPABILITIES_PAGES_LOG2);
	p->groups = 1u << FIELD(word, CAPABILITIES_GROUPS_LOG2);
	p->contexts = 1u << FIELD(word, CAPABILITIES_CONTEXTS_LOG2);
	p->queue_depth = 1u << FIELD(word, CAPABILITIES_QUEUE_LOG2);
	p->engine = FIELD(word, CAPABILITIES_ENGINE);
	p->recent_pages = FIELD(stack, STACK_CAPABILITIES_RECENT_PAGES);
	p->ranks = FIELD(word, CAPABILITIES_RANKS);
	p->hot_pages = hot_pages_log2 ? 1u << hot_pages_log2 : 0;
	p->features |= FIELD(stack, STACK_CAPABILITIES_PAGE_BITMAP) << LITEMRC_FEATURE_PAGE_BITMAP;
	if (device_has(&r->device, LITEMRC_FEATURE_RANK_POWER)) {
		word = ranks(r, LITEMRC_RANKS_CAPABILITIES);
		p->ranks = 1u << FIELD(word, RANKS_CAPABILITIES_DOMAINS_LOG2);
		p->power_states = FIELD(word, RANKS_CAPABILITIES_STATES);
	}
	if (device_has(&r->device, LITEMRC_FEATURE_REF_COUNTERS)) {
		word = refs(r, LITEMRC_REFS_CAPABILITIES);
		p->counter_pages = 1u << FIELD(word, REFS_CAPABILITIES_PAGES_LOG2);
		p->counter_width = FIELD(word, REFS_CAPABILITIES_WIDTH);
		p->counter_masters = FIELD(word, REFS_CAPABILITIES_MASTERS);
		p->counter_contexts = FIELD(word, REFS_CAPABILITIES_CONTEXTS);
	}
	if (device_has(&r->device, LITEMRC_FEATURE_TRAFFIC))
		p->traffic_words_log2 = FIELD(traffic(r, LITEMRC_TRAFFIC_WORDS), TRAFFIC_WORDS_COUNT_LOG2);
	r->device.get = registers_get;
	r->device.set = registers_set;
	r->device.order = registers_order;
	r->always_on = p->hot_pages && monitor(r, LITEMRC_HOT_CONTROL) & LITEMRC_HOT_CONTROL_ALWAYS_ON;
}
