/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that each context follows, as of the last record, and the process messages that report changes. Such a
 * message is sent between the epochs before and after the change, no matter which program made it.
 */
#ifndef LITEMRCD_FOLLOWERS_H
#define LITEMRCD_FOLLOWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "litemrc_uapi.h"

/* Reads the present state, which is not reported. */
void followers_init(void);

/* A host that joins finds the present state by requests; later changes are reported. */
void followers_join(unsigned int host);

/* Takes over the state after the epoch of a record. */
void followers_note(const struct litemrc_epoch *record);

/*
 * Sends all changes to each host. A host that has no room for one gets no epochs until it has. Returns whether the serial
 * host has all. A change that is overwritten before it could be sent is not reported.
 */
bool followers_report(void);

/* As of the last record. */
const struct litemrc_context *follower(uint32_t context);

#endif
