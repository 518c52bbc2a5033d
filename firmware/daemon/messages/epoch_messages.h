/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends the record of a finished epoch to the hosts, with the parts of single pages that they selected. */
#ifndef LITEMRCD_EPOCH_MESSAGES_H
#define LITEMRCD_EPOCH_MESSAGES_H

#include <stddef.h>

#include "litemrc_uapi.h"

/* Bytes of a record at most. */
size_t epochs_most(void);

void epochs_send(const struct litemrc_epoch *record);

#endif
