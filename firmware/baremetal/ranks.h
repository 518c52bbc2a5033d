/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power domains of the DRAM: their meter, power states and policy, and the pages whose data must be retained.
 *
 * A domain may lose its data only while it holds no live page: ranks_set_live() revokes the permission. On a SoC
 * without rank power there are no domains.
 */
#ifndef LITEMRC_RANKS_H
#define LITEMRC_RANKS_H

#include <stdint.h>

#include "registers.h"

/* Number of power domains; 0: no rank power. */
uint32_t ranks_domains(void);

/* Sets the pages of DRAM whose data are needed; none: pages = 0. */
void ranks_set_live(uint32_t first_page, uint32_t pages);

/* As the members of struct register_device. */
uint32_t ranks_live_pages(struct register_device *device, uint32_t domain);
bool ranks_runs_from(struct register_device *device, uint32_t domain);

#endif
