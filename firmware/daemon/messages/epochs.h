/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends finished epochs, a message a context that had accesses, all of an epoch in one go or none. */
#ifndef LITEMRCD_EPOCHS_H
#define LITEMRCD_EPOCHS_H

#include <stdint.h>

#include "litemrc_uapi.h"

/* Queues the messages of an epoch; without room they are lost, and missing to the host by their indices. */
void epochs_send(const struct litemrc_epoch *record);

/* Epoch messages sent or lost since the start. */
uint32_t epochs_sent(void);

/* Of these, lost for want of room. */
uint32_t epochs_lost(void);

#endif
