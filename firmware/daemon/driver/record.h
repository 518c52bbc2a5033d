/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of finished epochs from the driver's character device (litemrc_uapi.h). */
#ifndef LITEMRCD_RECORD_H
#define LITEMRCD_RECORD_H

#include <stdint.h>

#include "litemrc_uapi.h"

/* Opens the device for non-blocking reads; exits on failure. Call after driver_open(). */
int record_open(const char *device);

/*
 * Returns the next record, valid until the next call, or NULL if there is none now. Exits if the driver was removed or
 * the record has another layout.
 */
const struct litemrc_epoch *record_read(int device);

/* What a context follows after the epoch of the last record. */
const struct litemrc_row *follower(uint32_t context);

/* Number of the next record: those before were read, or are lost. */
uint32_t record_next(void);

#endif
