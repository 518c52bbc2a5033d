/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's files of the ranks (firmware/linux/ABI.md); without a rank power unit there are none. */
#ifndef LITEMRCD_DRIVER_RANKS_H
#define LITEMRCD_DRIVER_RANKS_H

#include <stdint.h>

struct dram {
	uint32_t ranks;	/* 0: no rank power unit */
	uint32_t virtual, states, chips, phases;
	char part[33];
};

extern struct dram dram;

/* States and policies as numbered on the link. */
struct rank_policy_values {
	uint32_t kind, static_state, mrc_state, mrc_base;
	uint32_t threshold_power_down, threshold_self_refresh;
};

struct working_set_values {
	uint32_t automatic, groups, epsilon;
};

/* Opens the files in the monitor's folder; exits if a file is missing or malformed. */
void ranks_open(int monitor);

/* Return 0 or -errno; -EPROTO: the file's text is malformed. */
int ranks_policy(struct rank_policy_values *policy);
int ranks_set_policy(const struct rank_policy_values *policy);
int ranks_working_set(struct working_set_values *set);
int ranks_set_working_set(const struct working_set_values *set);
int ranks_set_state(uint32_t rank, uint32_t state);

/* Save policy and working set; restore the saved ones, if any. Return 0 or -errno. */
int ranks_save(void);
int ranks_restore(void);

#endif
