// SPDX-License-Identifier: BSD-2-Clause
#include "register_access.h"

#define TRIES 3	/* of a write or command that a bridge may lose */
#define HELD_EPOCHS 2	/* in the window, and behind it one that is due, which ends when the window is released */

/* ----------------------------------------------------------------------------------------------- the bus */

void register_command(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value)
{
	register_write_once(r, block, offset, value);
	if (REGISTERS_ARE_REMOTE)
		register_read(r, block, offset);
}

bool register_try_write(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value)
{
	for (int i = 0; i < TRIES; i++) {
		register_write_once(r, block, offset, value);
		if (!REGISTERS_ARE_REMOTE || register_read(r, block, offset) == value)
			return true;
	}
	return false;
}

void register_write(struct register_device *r, enum register_block block, uint32_t offset, uint32_t value)
{
	if (!register_try_write(r, block, offset, value))
		r->failure = "a register reads otherwise than written: other software writes it";
}

static uint32_t monitor(struct register_device *r, uint32_t offset)
{
	return register_read(r, BLOCK_MRC, offset);
}

static void set_monitor(struct register_device *r, uint32_t offset, uint32_t value)
{
	register_write(r, BLOCK_MRC, offset, value);
}

static void control(struct register_device *r, uint32_t mask, bool on)
{
	set_monitor(r, LITEMRC_CONTROL, (monitor(r, LITEMRC_CONTROL) & ~mask) | (on ? mask : 0));
}

uint32_t register_wait(struct register_device *r, enum register_block block, uint32_t offset, uint32_t bits,
		       uint32_t value, const char *failure)
{
	uint32_t status, n = 0;

	while (((status = register_read(r, block, offset)) & bits) != value)
		if (REGISTERS_ARE_REMOTE && !r->bus->wait(r->bus, ++n)) {
			r->failure = failure;
			break;
		}
	return status;
}

/* ----------------------------------------------------------------------------------------------- monitor */

static uint32_t wait_taken(struct register_device *r)
{
	return register_wait(r, BLOCK_MRC, LITEMRC_STATUS, LITEMRC_STATUS_COMMAND_PENDING, 0,
			"a command still waits for the queue");
}

/* Gives a command that goes through the monitor's queue, and waits until it is there. */
static void queue_command(struct register_device *r, uint32_t offset, uint32_t value)
{
	uint32_t before = wait_taken(r), after;

	if (offset == LITEMRC_COMMAND)
		register_command(r, BLOCK_MRC, offset, value);
	else
		set_monitor(r, offset, value);
	after = wait_taken(r);
	/* Only software of the SoC that gives commands, too, can have filled the places meanwhile. */
	if (REGISTERS_ARE_REMOTE && after & ~before & LITEMRC_STATUS_COMMAND_LOST) {
		register_command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_ACKNOWLEDGE);
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

	register_command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	if (!REGISTERS_ARE_REMOTE)
		return;
	for (int i = 1; i < TRIES && !is_due(r) && monitor(r, LITEMRC_EPOCH) == before; i++)
		register_command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
	while (is_due(r)) {
		r->settle(r);
		if (REGISTERS_ARE_REMOTE && !r->bus->wait(r->bus, ++n)) {
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
		register_command(r, BLOCK_MRC, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE);
	register_command(r, BLOCK_MRC, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
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
		register_wait(r, BLOCK_MRC, LITEMRC_STATUS, LITEMRC_STATUS_IDLE, LITEMRC_STATUS_IDLE,
			 "the monitor is not idle");
		r->settle(r);
	}
	while (known && !r->failure && at < count) {
		before[at] = monitor(r, changes[at].offset);
		known = register_try_write(r, BLOCK_MRC, changes[at].offset, changes[at].value) &&
			monitor(r, changes[at].offset) == changes[at].value;
		at++;
	}
	if (known && !r->failure)
		clear(r);
	while ((!known || r->failure) && at--)
		register_try_write(r, BLOCK_MRC, changes[at].offset, before[at]);
	if (DEVICE_HOT_PAGES && hot && known && !r->failure)
		empty_queue(r);
	control(r, LITEMRC_CONTROL_ENABLE, enabled);
	return known;
}

static int set_split(struct register_device *r, bool on, struct answer *answer)
{
	uint32_t word = monitor(r, LITEMRC_CONTROL) & ~(LITEMRC_CONTROL_ENABLE | LITEMRC_CONTROL_SPLIT);
	struct change split = {LITEMRC_CONTROL, word | PUT(CONTROL_SPLIT, on)};

	if (REGISTERS_ARE_REMOTE && on && monitor(r, LITEMRC_CONTEXT) >= r->device.parameters.contexts / 2)
		return refuse(answer, LITEMRC_ERROR_BUSY, "the present context would own no pages: set another one first");
	if (!change(r, &split, 1, false))
		return refuse(answer, LITEMRC_ERROR_UNSUPPORTED, DEVICE_NO_SPLIT);
	return 0;
}

static int set_hot(struct register_device *r, const uint32_t *v, struct answer *answer)
{
	const struct change changes[] = {
		{LITEMRC_HOT_THRESHOLD, v[5]}, {LITEMRC_HOT_WANTED, v[6]}, {LITEMRC_HOT_LOWER, v[7]},
		{LITEMRC_HOT_UPPER, v[8]}, {LITEMRC_HOT_WATERMARK, v[9]},
		{LITEMRC_HOT_CONTROL, PUT(HOT_CONTROL_ENABLE, v[0] != DEVICE_HOT_OFF) |
				      PUT(HOT_CONTROL_ROWS, v[0] == DEVICE_HOT_OF_ROWS) | PUT(HOT_CONTROL_READS, v[1]) |
				      PUT(HOT_CONTROL_WRITES, v[2]) | PUT(HOT_CONTROL_ALWAYS_ON, v[3]) |
				      PUT(HOT_CONTROL_SAMPLING_LOG2, v[4])},
	};

	if (!change(r, changes, sizeof(changes) / sizeof(changes[0]), true))
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, DEVICE_NO_HOT_SETTING);
	r->always_on = v[3];
	return 0;
}

static void get_hot(struct register_device *r, struct answer *answer)
{
	uint32_t word = monitor(r, LITEMRC_HOT_CONTROL);

	ANSWER(answer, FIELD(word, HOT_CONTROL_ENABLE) << FIELD(word, HOT_CONTROL_ROWS),
	       FIELD(word, HOT_CONTROL_READS), FIELD(word, HOT_CONTROL_WRITES), FIELD(word, HOT_CONTROL_ALWAYS_ON),
	       FIELD(word, HOT_CONTROL_SAMPLING_LOG2), monitor(r, LITEMRC_HOT_THRESHOLD), monitor(r, LITEMRC_HOT_WANTED),
	       monitor(r, LITEMRC_HOT_LOWER), monitor(r, LITEMRC_HOT_UPPER), monitor(r, LITEMRC_HOT_WATERMARK));
}

/* -------------------------------------------------------------------------------------------- operations */

static int done(struct register_device *r, struct answer *answer, int error)
{
	return r->failure ? refuse(answer, LITEMRC_ERROR_BUSY, r->failure) : error;
}

static void monitor_get(struct register_device *r, enum device_setting setting, struct answer *answer)
{
	uint32_t word;

	switch (setting) {
	case DEVICE_EPOCH_LENGTH:
		word = monitor(r, LITEMRC_CONTROL) & LITEMRC_CONTROL_EPOCH_UNIT;
		ANSWER(answer, word ? LITEMRC_EPOCH_UNIT_CYCLES : LITEMRC_EPOCH_UNIT_ACCESSES, monitor(r, LITEMRC_EPOCH_LENGTH));
		break;
	case DEVICE_CONTEXT:
		ANSWER(answer, monitor(r, LITEMRC_CONTEXT));
		break;
	case DEVICE_RANGE:
		ANSWER(answer, monitor(r, LITEMRC_RANGE_LOWER), monitor(r, LITEMRC_RANGE_UPPER));
		break;
	case DEVICE_SAMPLING:
		ANSWER(answer, monitor(r, LITEMRC_SAMPLING), FIELD(monitor(r, LITEMRC_SCALE), SCALE_SCALE_LOG2));
		break;
	case DEVICE_FREEZE:
		word = monitor(r, LITEMRC_CONTROL);
		ANSWER(answer, FIELD(word, CONTROL_FREEZE), FIELD(word, CONTROL_SINGLE_SHOT),
		       FIELD(monitor(r, LITEMRC_STATUS), STATUS_FROZEN));
		break;
	case DEVICE_SPLIT:
		ANSWER(answer, FIELD(monitor(r, LITEMRC_CONTROL), CONTROL_SPLIT));
		break;
	case DEVICE_HOT:
		if (DEVICE_HOT_PAGES)
			get_hot(r, answer);
		break;
	default: /* DEVICE_PAGE_MESSAGES */
		ANSWER(answer, r->accessed_messages, r->hot_messages);
	}
}

static int set_range(struct register_device *r, uint32_t lower, uint32_t upper, struct answer *answer)
{
	const struct change changes[] = {{LITEMRC_RANGE_LOWER, lower}, {LITEMRC_RANGE_UPPER, upper}};

	if (!change(r, changes, 2, false))
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, "the gateware has no such range");
	return 0;
}

static int set_sampling(struct register_device *r, uint32_t value, struct answer *answer)
{
	const struct change sampling = {LITEMRC_SAMPLING, value};

	if (!change(r, &sampling, 1, false))
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, DEVICE_NO_SAMPLING);
	return 0;
}

static int monitor_set(struct register_device *r, enum device_setting setting, const uint32_t *v, struct answer *answer)
{
	switch (setting) {
	case DEVICE_EPOCH_LENGTH:
		control(r, LITEMRC_CONTROL_EPOCH_UNIT, v[0] == LITEMRC_EPOCH_UNIT_CYCLES);
		set_monitor(r, LITEMRC_EPOCH_LENGTH, v[1]);
		return 0;
	case DEVICE_CONTEXT:
		set_monitor(r, LITEMRC_CONTEXT, v[0]);
		return 0;
	case DEVICE_ENABLE:
		control(r, LITEMRC_CONTROL_ENABLE, v[0]);
		return 0;
	case DEVICE_RANGE:
		return set_range(r, v[0], v[1], answer);
	case DEVICE_SAMPLING:
		return set_sampling(r, v[0], answer);
	case DEVICE_FREEZE:
		control(r, LITEMRC_CONTROL_FREEZE, v[0]);
		return 0;
	case DEVICE_SINGLE_SHOT:
		control(r, LITEMRC_CONTROL_SINGLE_SHOT, v[0]);
		return 0;
	case DEVICE_SPLIT:
		return set_split(r, v[0], answer);
	case DEVICE_HOT:
		return DEVICE_HOT_PAGES ? set_hot(r, v, answer) : 0;
	default: /* DEVICE_PAGE_MESSAGES */
		r->accessed_messages = v[0];
		r->hot_messages = v[1];
		return 0;
	}
}

int registers_get(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	struct register_device *r = (struct register_device *)device;

	if (setting < DEVICE_DRAM)
		monitor_get(r, setting, answer);
	else if (DEVICE_CAN(RANK_POWER) && setting <= DEVICE_WORKING_SET)
		ranks_get(r, setting, arguments, answer);
	else if (DEVICE_CAN(REF_COUNTERS))
		counters_get(r, setting, arguments, answer);
	return 0;
}

int registers_set(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer)
{
	struct register_device *r = (struct register_device *)device;
	int error = 0;

	r->failure = NULL;
	if (setting < DEVICE_DRAM)
		error = monitor_set(r, setting, values, answer);
	else if (DEVICE_CAN(RANK_POWER) && setting <= DEVICE_WORKING_SET)
		error = ranks_set(r, setting, values, answer);
	else if (DEVICE_CAN(REF_COUNTERS))
		counters_set(r, setting, values);
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
		register_command(r, BLOCK_MRC, LITEMRC_COMMAND, LITEMRC_COMMAND_ARM);
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
	word = monitor(r, LITEMRC_DRAM_CAPABILITIES);
	p->banks = FIELD(word, DRAM_CAPABILITIES_BANKS);
	if (p->banks) {
		p->features |= 1u << LITEMRC_FEATURE_BANKS;
		p->access_bytes = 1u << FIELD(word, DRAM_CAPABILITIES_ACCESS_BYTES_LOG2);
		r->rows_observed = FIELD(word, DRAM_CAPABILITIES_ROWS);
		r->refresh_cycles = FIELD(word, DRAM_CAPABILITIES_REFRESH_CYCLES);
		word = FIELD(word, DRAM_CAPABILITIES_ROW_BYTES_LOG2);
		p->row_bytes = word ? 1u << word : 0;
	}
	if (device_has(&r->device, LITEMRC_FEATURE_RANK_POWER)) {
		word = register_read(r, BLOCK_RANKS, LITEMRC_RANKS_CAPABILITIES);
		p->ranks = 1u << FIELD(word, RANKS_CAPABILITIES_DOMAINS_LOG2);
		p->power_states = FIELD(word, RANKS_CAPABILITIES_STATES);
	}
	if (device_has(&r->device, LITEMRC_FEATURE_REF_COUNTERS)) {
		word = register_read(r, BLOCK_REFS, LITEMRC_REFS_CAPABILITIES);
		p->counter_pages = 1u << FIELD(word, REFS_CAPABILITIES_PAGES_LOG2);
		p->counter_width = FIELD(word, REFS_CAPABILITIES_WIDTH);
		p->counter_masters = FIELD(word, REFS_CAPABILITIES_MASTERS);
		p->counter_contexts = FIELD(word, REFS_CAPABILITIES_CONTEXTS);
	}
	if (device_has(&r->device, LITEMRC_FEATURE_TRAFFIC))
		p->traffic_words_log2 = FIELD(register_read(r, BLOCK_TRAFFIC, LITEMRC_TRAFFIC_WORDS), TRAFFIC_WORDS_COUNT_LOG2);
	r->device.get = registers_get;
	r->device.set = registers_set;
	r->device.order = registers_order;
	r->always_on = p->hot_pages && monitor(r, LITEMRC_HOT_CONTROL) & LITEMRC_HOT_CONTROL_ALWAYS_ON;
}
