/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends finished epochs to the hosts: a message per context with accesses and one per rank, all messages of an epoch or
 * none. Those of single pages follow (pages.h).
 */
#ifndef LITEMRCD_EPOCH_MESSAGES_H
#define LITEMRCD_EPOCH_MESSAGES_H

#include <stdint.h>

#include "litemrc_uapi.h"

/*
 * Queues the messages of an epoch, for each host that has room for all of them and for which no process message waits;
 * another one sees the gap in their indices.
 */
void epochs_send(const struct litemrc_epoch *record);

/* Epoch messages sent or dropped since the start. */
uint32_t epochs_sent(void);

/* Epoch messages dropped since the start, for the serial host. */
uint32_t epochs_lost(void);

#endif
