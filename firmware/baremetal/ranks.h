/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power domains of the DRAM: what the meter counted of them, who sends them to sleep, and what must stay awake.
 *
 * A domain may lose its data only while it holds no live page: ranks_set_live() takes the permission back, whoever
 * gave it. On a SoC without rank power there are no domains, and every request is refused.
 */
#ifndef LITEMRC_RANKS_H
#define LITEMRC_RANKS_H

#include <stdint.h>

#include "frame.h"

/* 0: nothing is metered. */
uint32_t ranks_domains(void);

/* The pages of DRAM whose data somebody needs; none: pages = 0. */
void ranks_set_live(uint32_t first_page, uint32_t pages);

/* Fills in what the meter counted of a domain up to the epoch in the window. */
void ranks_fill(struct rank_body *rank, uint32_t domain);

/* Keeps policy and size of the working set as they are; goes back to those kept. */
void ranks_save(void);
void ranks_restore(void);

/* As settings_perform(). */
int ranks_perform(const struct host_request *request, struct ack_body *ack, const char **reason);

#endif
