/* SPDX-License-Identifier: GPL-2.0 */
/* Rank meter and rank power: the interfaces between the files of this folder and the rest. */
#ifndef LITEMRC_RANKS_H
#define LITEMRC_RANKS_H

#include <linux/types.h>

#include "litemrc_platform.h"
#include "litemrc_regs.h"
#include "litemrc_uapi.h"

struct device_node;
struct litemrc;

#define LITEMRC_RANKS_MAX 16
#define LITEMRC_RANK_STATES 5

/* Parameters of the sleep policy, as in the registers. */
struct litemrc_rank_policy {
	u32 kind;
	u32 static_state;
	u32 mrc_state;
	u32 mrc_base;
	u32 threshold[2]; /* idle cycles before power-down, self-refresh; 0: never */
};

struct litemrc_working_set {
	u32 automatic;
	u32 groups;
	u32 epsilon; /* of 2^16 */
};

struct litemrc_ranks {
	const struct litemrc_ops *ops; /* NULL: no rank power unit */
	void *io;
	u32 domains;
	u32 states; /* bit n: the state of number n can be reached */
	bool virtual; /* domains are slices of one rank */
	struct litemrc_dram dram;
	/* Counters since load; guarded by the ring's lock. */
	u64 total[LITEMRC_RANKS_MAX][LITEMRC_METER_ROW];
};

/* Names in sysfs, by number; NULL: no such number. */
extern const char *const litemrc_rank_state_names[LITEMRC_RANK_STATES];
extern const char *const litemrc_rank_policy_names[LITEMRC_POLICY_MRC + 1];
int litemrc_name_number(const char *const *names, unsigned int count, const char *name,
			size_t length);

/* ranks.c */
int litemrc_ranks_find(struct litemrc *mon, const struct litemrc_platform_data *data);
void litemrc_ranks_quiet(struct litemrc *mon);
u32 litemrc_rank_frames(const struct litemrc *mon);
u32 litemrc_rank_state(const struct litemrc *mon, unsigned int rank);

/* snapshots.c: caller of the first holds the ring's lock */
void litemrc_ranks_fill(struct litemrc *mon, struct litemrc_epoch *record);
u64 litemrc_rank_total(struct litemrc *mon, unsigned int rank, unsigned int word);
u64 litemrc_rank_us(const struct litemrc *mon, u64 cycles);

/* settings.c: callers of those that set hold @settings */
int litemrc_rank_set_state(struct litemrc *mon, unsigned int rank, u32 state);
void litemrc_rank_get_policy(const struct litemrc *mon, struct litemrc_rank_policy *policy);
int litemrc_rank_set_policy(struct litemrc *mon, const struct litemrc_rank_policy *policy);
void litemrc_get_working_set(const struct litemrc *mon, struct litemrc_working_set *set);
int litemrc_set_working_set(struct litemrc *mon, const struct litemrc_working_set *set);

static inline u32 litemrc_ranks_read(const struct litemrc_ranks *ranks, unsigned int offset)
{
	return ranks->ops->read(ranks->io, offset);
}

static inline void litemrc_ranks_write(struct litemrc_ranks *ranks, unsigned int offset, u32 value)
{
	ranks->ops->write(ranks->io, offset, value);
}

#endif
