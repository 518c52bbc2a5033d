// SPDX-License-Identifier: GPL-2.0
/* The registers of docs/registers.md; violations of their rules are counted. */
#include <linux/sched.h>

#include "litemrc_fake.h"

/* Caller holds @lock. */
void fake_violate(struct fake *fake, const char *rule)
{
	fake->violations++;
	fake->violation = rule;
}

/* Caller holds @lock. */
void fake_log(struct fake *fake, enum fake_kind kind, u32 value)
{
	struct fake_entry *entry;

	if (fake->logged == FAKE_LOG_ENTRIES)
		return;
	entry = &fake->log[fake->logged++];
	entry->kind = kind;
	entry->value = value;
	entry->tgid = current->tgid;
}

/* Range and sampling in one number; there are fewer than 2^20 frames. */
static u64 chosen_pages(const struct fake *fake)
{
	return (u64)fake->lower << 40 | (u64)fake->upper << 20 | fake->sampling;
}

void fake_reset(struct fake *fake)
{
	fake->control = LITEMRC_CONTROL_HOLD;
	fake->upper = BIT(fake->frames_log2) - 1;
	fake->cleared = chosen_pages(fake);
	fake_hot_reset(fake);
}

static bool is_frozen(const struct fake *fake)
{
	return fake->control & LITEMRC_CONTROL_FREEZE || fake->shot;
}

static bool is_taken(const struct fake *fake)
{
	return fake->ready && fake->control & LITEMRC_CONTROL_HOLD;
}

/*
 * Starts an end of epoch, with the present counters, if one is due and none is
 * in flight.
 */
static void try_end(struct fake *fake)
{
	bool long_enough = fake->endless || fake->elapsed >= fake->epoch_length;
	bool reached = fake->epoch_length && long_enough && !is_frozen(fake);

	if (fake->stalled & LITEMRC_STATUS_EPOCH_DUE)
		return;
	if (fake->in_flight || is_taken(fake) ||
	    !(fake->end_requested || reached))
		return;
	fake->in_flight = true;
	fake->flight = 3;
	fake->end_requested = false;
	fake->elapsed = 0;
	memcpy(fake->published, fake->accesses, sizeof(fake->accesses));
	memset(fake->accesses, 0, sizeof(fake->accesses));
	memcpy(fake->published_hits, fake->hits, sizeof(fake->hits));
	memset(fake->hits, 0, sizeof(fake->hits));
	if (fake->bits) {
		memcpy(fake->bits + 2 * fake_words(fake), fake->bits,
		       2 * fake_words(fake) * sizeof(u32));
		memset(fake->bits, 0, 2 * fake_words(fake) * sizeof(u32));
	}
	fake_hot_publish(fake);
	if (fake->control & LITEMRC_CONTROL_SINGLE_SHOT)
		fake->shot = true;
}

static void publish(struct fake *fake)
{
	fake->in_flight = false;
	fake->ready = true;
	fake->epoch++;
	if (!(fake->control & LITEMRC_CONTROL_HOLD))
		fake_violate(fake, "an epoch without hold");
}

/* Called as time passes. */
void fake_advance(struct fake *fake)
{
	if (fake->in_flight)
		publish(fake);
	try_end(fake);
}

/* Returns the context of the accesses to a frame. */
u32 fake_owner(const struct fake *fake, u32 frame)
{
	u32 claimed = frame >> fake->frames_log2 ? 0 : fake->owner[frame];

	return claimed ? claimed - 1 : fake->context;
}

void fake_access(struct fake *fake, u32 frame, u32 count, int group)
{
	u32 context = fake_owner(fake, frame);

	while (count-- && fake->control & LITEMRC_CONTROL_ENABLE &&
	       !is_frozen(fake)) {
		fake->accesses[context]++;
		if (group >= 0)
			fake->hits[context][group]++;
		fake->elapsed++;
		try_end(fake);
	}
}

#define FAKE_TAKEN 6u /* commands between two status reads */

static void step(unsigned int *countdown)
{
	if (*countdown)
		--*countdown;
}

static u32 read_status(struct fake *fake)
{
	u32 status = fake->reports | fake->stalled;

	fake->status_reads++;
	fake->pending -= min(fake->pending, FAKE_TAKEN);
	step(&fake->busy);
	if (fake->in_flight && !--fake->flight)
		publish(fake);
	try_end(fake);
	if (!fake->busy && !fake->pending &&
	    !(fake->control & LITEMRC_CONTROL_ENABLE))
		status |= LITEMRC_STATUS_IDLE;
	if (fake->pending)
		status |= LITEMRC_STATUS_COMMAND_PENDING;
	if (fake->ready)
		status |= LITEMRC_STATUS_EPOCH_READY;
	if (fake->in_flight || fake->end_requested)
		status |= LITEMRC_STATUS_EPOCH_DUE;
	if (is_frozen(fake))
		status |= LITEMRC_STATUS_FROZEN;
	return status;
}

static u32 read_capabilities(const struct fake *fake)
{
	return PAGE_SHIFT << LITEMRC_CAPABILITIES_PAGE_SHIFT_SHIFT |
	       fake->frames_log2 << LITEMRC_CAPABILITIES_FRAMES_LOG2_SHIFT |
	       FAKE_GROUPS_LOG2 << LITEMRC_CAPABILITIES_GROUPS_LOG2_SHIFT |
	       FAKE_CONTEXTS_LOG2 << LITEMRC_CAPABILITIES_CONTEXTS_LOG2_SHIFT |
	       9 << LITEMRC_CAPABILITIES_QUEUE_LOG2_SHIFT |
	       LITEMRC_ENGINE_BUCKET_STACK
		       << LITEMRC_CAPABILITIES_ENGINE_SHIFT |
	       (fake->ranks ?: 1) << LITEMRC_CAPABILITIES_RANKS_SHIFT;
}

static u32 read_register(struct fake *fake, unsigned int offset)
{
	switch (offset) {
	case LITEMRC_VERSION:
		return LITEMRC_REGS_VERSION;
	case LITEMRC_CAPABILITIES:
		return read_capabilities(fake);
	case LITEMRC_STACK_CAPABILITIES:
		return LITEMRC_PUT(STACK_CAPABILITIES_PAGES_LOG2,
				   fake->frames_log2) |
		       LITEMRC_PUT(STACK_CAPABILITIES_RECENT_PAGES, 1) |
		       LITEMRC_PUT(STACK_CAPABILITIES_COMMANDS_LOG2,
				   FAKE_COMMANDS_LOG2) |
		       LITEMRC_PUT(STACK_CAPABILITIES_CLAIMS, 1) |
		       LITEMRC_PUT(STACK_CAPABILITIES_PAGE_BITMAP,
				   !!fake->bits) |
		       LITEMRC_PUT(STACK_CAPABILITIES_HOT_PAGES_LOG2,
				   fake->hot.pages ? ilog2(fake->hot.pages) :
						     0);
	case LITEMRC_DRAM_CAPABILITIES:
		return fake_dram_capabilities(fake);
	case LITEMRC_CONTROL:
		return fake->control;
	case LITEMRC_CONTEXT:
		return fake->context;
	case LITEMRC_EPOCH_LENGTH:
		return fake->epoch_length;
	case LITEMRC_RANGE_LOWER:
		return fake->lower;
	case LITEMRC_RANGE_UPPER:
		return fake->upper;
	case LITEMRC_SAMPLING:
	case LITEMRC_SCALE:
		return fake->sampling;
	case LITEMRC_STATUS:
		return read_status(fake);
	case LITEMRC_EPOCH:
		return fake->epoch;
	case LITEMRC_EPOCH_DROPPED:
		return (fake->epoch - 1) * 7 + 3;
	case LITEMRC_EPOCH_OUTSIDE:
		return (fake->epoch - 1) * 3 + 1;
	case LITEMRC_EPOCH_UNSAMPLED:
		return (fake->epoch - 1) * 5 + 2;
	case LITEMRC_QUEUE_PEAK:
		return 42;
	case LITEMRC_EV_STATUS:
	case LITEMRC_EV_PENDING:
		return fake->ready | fake_hot_waiting(fake)
					     << LITEMRC_EV_STATUS_HOT_SHIFT;
	case LITEMRC_EV_ENABLE:
		return fake->ev_enable;
	default:
		return fake_hot_read(fake, offset);
	}
}

static void start_command(struct fake *fake, enum fake_kind kind, u32 value)
{
	if (fake->pending == FAKE_COMMANDS) {
		fake_violate(fake, "a command without room for it");
		return;
	}
	fake->pending++;
	fake_log(fake, kind, value);
}

static void claim(struct fake *fake, u32 value)
{
	u32 context = (value & LITEMRC_CLAIM_CONTEXT) >>
		      LITEMRC_CLAIM_CONTEXT_SHIFT;
	u32 frame = (value & LITEMRC_CLAIM_FRAME) >> LITEMRC_CLAIM_FRAME_SHIFT;
	u32 frames = 1 << ((value & LITEMRC_CLAIM_ORDER) >>
			   LITEMRC_CLAIM_ORDER_SHIFT);

	start_command(fake, FAKE_CLAIM, value);
	if (frame + frames > BIT(fake->frames_log2) || context >= FAKE_CONTEXTS)
		fake_violate(fake, "frames or a context out of range");
	else
		memset(fake->owner + frame, context + 1, frames);
}

static void command(struct fake *fake, u32 value)
{
	if (value & LITEMRC_COMMAND_CLEAR) {
		start_command(fake, FAKE_CLEAR, 0);
		fake->cleared = chosen_pages(fake);
		fake->elapsed = 0;
		memset(fake->owner, 0, BIT(fake->frames_log2));
		memset(fake->accesses, 0, sizeof(fake->accesses));
		memset(fake->hits, 0, sizeof(fake->hits));
	}
	if (value & LITEMRC_COMMAND_RELEASE)
		fake->ready = false;
	if (value & LITEMRC_COMMAND_END_EPOCH)
		fake->end_requested = true;
	if (value & LITEMRC_COMMAND_ARM)
		fake->shot = false;
	if (value & LITEMRC_COMMAND_ACKNOWLEDGE)
		fake->reports = 0;
	try_end(fake);
}

static void set_control(struct fake *fake, u32 value)
{
	u32 changed = fake->control ^ value;

	if (changed & LITEMRC_CONTROL_SPLIT &&
	    (fake->control & LITEMRC_CONTROL_ENABLE || fake->busy ||
	     fake->pending))
		fake_violate(fake, "split written while not disabled and idle");

	fake->control = value;
	if (!(changed & LITEMRC_CONTROL_ENABLE))
		return;
	fake_log(fake, FAKE_ENABLE, value & LITEMRC_CONTROL_ENABLE);
	if (!(value & LITEMRC_CONTROL_ENABLE))
		fake->busy = 3;
	else if (fake->cleared != chosen_pages(fake))
		fake_violate(fake,
			     "enabled without a clear after a new range or sampling");
}

static void choose_pages(struct fake *fake, u32 *which, u32 value)
{
	if (fake->control & LITEMRC_CONTROL_ENABLE || fake->busy ||
	    fake->pending)
		fake_violate(fake,
			     "range or sampling written while not disabled and idle");
	*which = value;
}

static void write_register(struct fake *fake, unsigned int offset, u32 value)
{
	switch (offset) {
	case LITEMRC_CONTROL:
		set_control(fake, value);
		break;
	case LITEMRC_COMMAND:
		command(fake, value);
		break;
	case LITEMRC_CONTEXT:
		if (value >= FAKE_CONTEXTS)
			fake_violate(fake, "a context out of range");
		fake->context = value % FAKE_CONTEXTS;
		fake_log(fake, FAKE_CONTEXT, value);
		break;
	case LITEMRC_INVALIDATE:
		if (value >= BIT(fake->frames_log2))
			fake_violate(fake, "a frame out of range");
		else
			fake->owner[value] = 0;
		start_command(fake, FAKE_INVALIDATE, value);
		break;
	case LITEMRC_CLAIM:
		claim(fake, value);
		break;
	case LITEMRC_EPOCH_LENGTH:
		fake->epoch_length = value;
		break;
	case LITEMRC_RANGE_LOWER:
		choose_pages(fake, &fake->lower, value);
		break;
	case LITEMRC_RANGE_UPPER:
		choose_pages(fake, &fake->upper, value);
		break;
	case LITEMRC_SAMPLING:
		/* Like gateware whose lowest rate is 1 page of 2^7. */
		choose_pages(fake, &fake->sampling, value & 7);
		break;
	case LITEMRC_EV_ENABLE:
		fake->ev_enable = value;
		break;
	case LITEMRC_EV_PENDING:
		break;
	default:
		if (!fake->hot.pages || !fake_hot_write(fake, offset, value))
			fake_violate(fake,
				     "a write to a register that is not writable");
	}
}

static u32 counted(const struct fake *fake, unsigned int context,
		   unsigned int column)
{
	u32 misses = fake->published[context];
	unsigned int group;

	if (column < FAKE_GROUPS)
		return fake->published_hits[context][column];
	for (group = 0; group < FAKE_GROUPS; group++)
		misses -= fake->published_hits[context][group];
	return column == LITEMRC_WINDOW_MISSES(FAKE_GROUPS) ? misses : 0;
}

/*
 * Accesses are real counts. Without @counting, hits, misses and touched of a
 * context with accesses identify their epoch, context and word.
 */
static u32 read_window(struct fake *fake, unsigned int word)
{
	unsigned int context = word / LITEMRC_WINDOW_ROW(FAKE_GROUPS);
	unsigned int column = word % LITEMRC_WINDOW_ROW(FAKE_GROUPS);
	u32 number = word - LITEMRC_WINDOW_ACCESSED(FAKE_GROUPS, FAKE_CONTEXTS);
	u32 bits = fake->bits ? 2 * fake_words(fake) : 0;
	u32 dram = bits + LITEMRC_HOT_PAGE_WORDS * fake->hot.pages;

	if (fake->ready && number < bits)
		return fake->bits[bits + number];
	if (fake->ready && number < bits + 2 * fake->hot.published_listed)
		return fake_hot_window(fake, number - bits);
	if (fake->ready && number - dram < fake_dram_words(fake))
		return fake_dram_window(fake, number - dram);
	if (!fake->ready || context >= FAKE_CONTEXTS) {
		fake_violate(fake,
			     "the window read without an epoch in it, or past its end");
		return 0;
	}
	if (column == LITEMRC_WINDOW_ACCESSES(FAKE_GROUPS))
		return fake->published[context];
	if (!fake->published[context])
		return 0;
	if (fake->counting)
		return counted(fake, context, column);
	return (fake->epoch - 1) * 1000003 + context * 4099 + column;
}

static u32 fake_read(void *io, unsigned int offset)
{
	struct fake *fake = io;
	unsigned long flags;
	u32 value;

	raw_spin_lock_irqsave(&fake->lock, flags);
	value = read_register(fake, offset);
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return value;
}

static void fake_write(void *io, unsigned int offset, u32 value)
{
	struct fake *fake = io;
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	write_register(fake, offset, value);
	raw_spin_unlock_irqrestore(&fake->lock, flags);
}

static void fake_window(void *io, unsigned int first, u32 *words,
			unsigned int count)
{
	struct fake *fake = io;
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	for (; count; count--)
		*words++ = read_window(fake, first++);
	raw_spin_unlock_irqrestore(&fake->lock, flags);
}

const struct litemrc_ops fake_ops = {
	.read = fake_read,
	.write = fake_write,
	.window = fake_window,
};
