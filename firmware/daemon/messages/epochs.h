/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends finished epochs: a message per context with accesses and one per rank, all messages of an epoch or none. Those of
 * single pages follow (pages.h).
 */
#ifndef LITEMRCD_EPOCHS_H
#define LITEMRCD_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

#include "litemrc_uapi.h"

/*
 * Queues the messages of an epoch. They are dropped unless `allowed` and there is room for all of them; the host sees
 * the gap in their indices.
 */
void epochs_send(const struct litemrc_epoch *record, bool allowed);

/* Epoch messages sent or dropped since the start. */
uint32_t epochs_sent(void);

/* Epoch messages dropped since the start. */
uint32_t epochs_lost(void);

#endif
