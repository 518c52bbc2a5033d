// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a rank meter and rank power, beside a fake monitor. A
 * command is obeyed at once; the value of a counter identifies its epoch (of
 * 8), domain and word. The residencies add up.
 */
#include "litemrc_fake.h"

#define RANK_REGISTERS (LITEMRC_RANKS_SNAPSHOT_CLOCKS / sizeof(u32) + 1)
#define ALL_STATES 0x1f /* of LITEMRC_POWER_* */

static void command(struct fake *fake, u32 value)
{
	u32 domain = (value & LITEMRC_RANKS_COMMAND_DOMAIN) >>
		     LITEMRC_RANKS_COMMAND_DOMAIN_SHIFT;
	u32 state = (value & LITEMRC_RANKS_COMMAND_STATE) >>
		    LITEMRC_RANKS_COMMAND_STATE_SHIFT;

	if (domain >= fake->ranks || state == LITEMRC_POWER_PRECHARGE_STANDBY ||
	    !(fake_rank_states(fake) >> state & 1)) {
		fake_violate(fake, "a rank or state out of range");
		return;
	}
	fake->rank_state[domain] = state;
}

/* Words of the 64-bit register, the upper one first; 8 domains each. */
static u32 state_word(const struct fake *fake, unsigned int first)
{
	u32 word = 0;
	unsigned int domain;

	for (domain = first; domain < fake->ranks && domain < first + 8;
	     domain++)
		word |= fake->rank_state[domain]
			<< domain % 8 * LITEMRC_RANKS_STATE_BITS;
	return word;
}

/* Self-refresh of a part of the array can be left out, as on some boards. */
u32 fake_rank_states(const struct fake *fake)
{
	return fake->no_partial ?
		       ALL_STATES & ~BIT(LITEMRC_POWER_SELF_REFRESH_PARTIAL) :
		       ALL_STATES;
}

static u32 read_register(struct fake *fake, unsigned int offset)
{
	switch (offset) {
	case LITEMRC_RANKS_VERSION:
		return LITEMRC_RANKS_REGS_VERSION;
	case LITEMRC_RANKS_CAPABILITIES:
		return LITEMRC_PUT(RANKS_CAPABILITIES_DOMAINS_LOG2,
				   ilog2(fake->ranks)) |
		       LITEMRC_PUT(RANKS_CAPABILITIES_STATES,
				   fake_rank_states(fake));
	case LITEMRC_RANKS_STATE:
		return state_word(fake, 8);
	case LITEMRC_RANKS_STATE + 4:
		return state_word(fake, 0);
	case LITEMRC_RANKS_WORKING:
		return 1; /* domain 0 */
	case LITEMRC_RANKS_SNAPSHOT_CLOCKS:
		return FAKE_RANK_CYCLES;
	case LITEMRC_RANKS_METER_STATUS:
		return fake->rank_overflow ?
			       LITEMRC_RANKS_METER_STATUS_OVERFLOW :
			       0;
	default:
		return fake->rank_register[offset / sizeof(u32)];
	}
}

static void write_register(struct fake *fake, unsigned int offset, u32 value)
{
	switch (offset) {
	case LITEMRC_RANKS_COMMAND:
		command(fake, value);
		return;
	case LITEMRC_RANKS_PARTIAL_ALLOWED:
		if (value)
			fake_violate(fake, "data may be lost");
		return;
	case LITEMRC_RANKS_POLICY:
	case LITEMRC_RANKS_THRESHOLD_POWER_DOWN:
	case LITEMRC_RANKS_THRESHOLD_SELF_REFRESH:
	case LITEMRC_RANKS_N_MRC:
	case LITEMRC_RANKS_N_MRC_AUTO:
		fake->rank_register[offset / sizeof(u32)] = value;
		return;
	default:
		fake_violate(fake,
			     "a write to a rank register that is not writable");
	}
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

static u32 identify(u32 epoch, u32 domain, u32 word)
{
	return epoch % 8 * 1000 + domain * 100 + word;
}

/* The rest of the cycles is precharge standby. */
static u32 counted(u32 epoch, u32 domain, u32 word)
{
	u32 rest = FAKE_RANK_CYCLES;
	u32 state;

	if (word != LITEMRC_METER_PRECHARGE_STANDBY)
		return identify(epoch, domain, word);
	for (state = LITEMRC_METER_ACTIVE_STANDBY;
	     state <= LITEMRC_METER_SELF_REFRESH_PARTIAL; state++)
		if (state != word)
			rest -= identify(epoch, domain, state);
	return rest;
}

static u32 read_window(struct fake *fake, unsigned int word)
{
	u32 column = word % LITEMRC_METER_ROW;

	if (!fake->ready || word >= fake->ranks * LITEMRC_METER_ROW) {
		fake_violate(fake,
			     "the meter's window read without an epoch, or past its end");
		return 0;
	}
	if (column == LITEMRC_METER_TOP_PAGES && fake->top_pages >= 0)
		return fake->top_pages;
	return counted(fake->epoch - 1, word / LITEMRC_METER_ROW, column);
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

const struct litemrc_ops fake_rank_ops = {
	.read = fake_read,
	.write = fake_write,
	.window = fake_window,
};

/*
 * After a reset: power-down and self-refresh as the states of the policies, all
 * pages working.
 */
void fake_ranks_reset(struct fake *fake)
{
	BUILD_BUG_ON(ARRAY_SIZE(fake->rank_register) < RANK_REGISTERS);
	fake->rank_register[LITEMRC_RANKS_POLICY / sizeof(u32)] =
		LITEMRC_POWER_POWER_DOWN
			<< LITEMRC_RANKS_POLICY_STATIC_STATE_SHIFT |
		LITEMRC_POWER_SELF_REFRESH
			<< LITEMRC_RANKS_POLICY_MRC_STATE_SHIFT;
	fake->rank_register[LITEMRC_RANKS_N_MRC / sizeof(u32)] = FAKE_GROUPS;
	fake->top_pages = -1;
}
