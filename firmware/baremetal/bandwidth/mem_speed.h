/* SPDX-License-Identifier: BSD-2-Clause */
/* LiteX's memspeed(), the BIOS's command mem_speed, with an epoch around each of its measurements. */
#ifndef LITEMRC_BANDWIDTH_MEM_SPEED_H
#define LITEMRC_BANDWIDTH_MEM_SPEED_H

void mem_speed(void);

#endif
