// SPDX-License-Identifier: GPL-2.0
/* The meter's snapshot of a finished epoch: into its record, and into totals since load. */
#include <linux/math64.h>

#include "litemrc.h"

static void litemrc_ranks_fill_one(struct litemrc *mon, struct litemrc_rank *rank, unsigned int number)
{
	struct litemrc_ranks *ranks = &mon->ranks;
	unsigned int word;

	rank->state = litemrc_rank_state(mon, number);
	rank->working = litemrc_ranks_read(ranks, LITEMRC_RANKS_WORKING) >> number & 1;
	rank->live_pages = litemrc_rank_frames(mon); /* Linux may use any of them */
	rank->flags = 0;
	if (litemrc_ranks_read(ranks, LITEMRC_RANKS_METER_STATUS) &
	    LITEMRC_RANKS_METER_STATUS_OVERFLOW)
		rank->flags |= LITEMRC_RANK_OVERFLOW;
	rank->cycles = litemrc_ranks_read(ranks, LITEMRC_RANKS_SNAPSHOT_CLOCKS);
	ranks->ops->window(ranks->io, number * LITEMRC_METER_ROW, rank->counters,
			   LITEMRC_METER_ROW);
	for (word = 0; word < LITEMRC_METER_ROW; word++)
		ranks->total[number][word] += rank->counters[word];
}

/**
 * litemrc_ranks_fill - read the meter's window into the record of the epoch in it
 * @mon: the monitor; caller holds the ring's lock, and the epoch is not released
 * @record: its sizes are set
 */
void litemrc_ranks_fill(struct litemrc *mon, struct litemrc_epoch *record)
{
	unsigned int rank;

	lockdep_assert_held(&mon->ring.lock);
	for (rank = 0; rank < mon->ranks.domains; rank++)
		litemrc_ranks_fill_one(mon, litemrc_record_rank(record, rank), rank);
}

/* Returns the sum of a counter over all epochs since load. */
u64 litemrc_rank_total(struct litemrc *mon, unsigned int rank, unsigned int word)
{
	u64 total;

	mutex_lock(&mon->ring.lock);
	total = mon->ranks.total[rank][word];
	mutex_unlock(&mon->ring.lock);
	return total;
}

u64 litemrc_rank_us(const struct litemrc *mon, u64 cycles)
{
	return mul_u64_u32_div(cycles, USEC_PER_SEC, mon->ranks.dram.clock_hz);
}
