/* SPDX-License-Identifier: BSD-2-Clause */
/* The meter's counters of each rank, behind the messages of their epoch. */
#ifndef LITEMRCD_RANK_MESSAGES_H
#define LITEMRCD_RANK_MESSAGES_H

#include <stdint.h>

#include "litemrc_uapi.h"

/* Queues a message for each rank of the record; there is room for them. */
void ranks_send(const struct litemrc_epoch *record);

/* Counts the messages of as many epochs as lost; the host sees the gap in their indices. */
void ranks_lose(uint32_t epochs);

#endif
