/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's files of the ranks (firmware/linux/ABI.md); without a rank power unit there are none. */
#ifndef LITEMRCD_DRIVER_RANKS_H
#define LITEMRCD_DRIVER_RANKS_H

#include <stdint.h>

struct dram {
	uint32_t ranks;	/* 0: no rank power unit */
	uint32_t virtual, chips, phases;
	char part[33];
};

extern struct dram dram;

#define POLICY_VALUES 6
#define WORKING_SET_VALUES 3

/* Opens the files in the monitor's folder; exits if a file is missing or malformed. Call after the parameters. */
void ranks_open(int monitor);

/* With the values of DEVICE_RANK_POLICY, DEVICE_WORKING_SET. Return 0 or -errno; -EPROTO: the file's text is malformed. */
int ranks_policy(uint32_t *policy);
int ranks_set_policy(const uint32_t *policy);
int ranks_working_set(uint32_t *set);
int ranks_set_working_set(const uint32_t *set);
int ranks_set_state(uint32_t rank, uint32_t state);

#endif
