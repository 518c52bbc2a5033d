/* SPDX-License-Identifier: BSD-2-Clause */
/* A finished epoch as the driver's character device hands it out (litemrc_uapi.h). */
#ifndef LITEMRCD_RECORD_H
#define LITEMRCD_RECORD_H

#include <stdint.h>

#include "litemrc_uapi.h"

/* Opens the device, not waiting in reads, and gives up when it cannot; parameters must be known. */
int record_open(const char *device);

/*
 * Reads the next record. Returns NULL when there is none now; it is valid until the next call. Gives up when the driver
 * went away, or when a record is none of this version's.
 */
const struct litemrc_epoch *record_read(int device);

/* The counters of a context: hits of each group, then LITEMRC_ROW_WORDS words. */
const uint32_t *record_row(const struct litemrc_epoch *record, uint32_t context);

#endif
