/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whom each context follows, as far as the records read say, and what the host was told of it: process messages stand
 * between the epochs they part, whoever made the change.
 */
#ifndef LITEMRCD_FOLLOWERS_H
#define LITEMRCD_FOLLOWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "litemrc_uapi.h"

/* What is true at the start is no news. */
void followers_init(void);

/* Takes over what a record says of the time behind its epoch. */
void followers_note(const struct litemrc_epoch *record);

/*
 * Tells the host all news. Returns false while the port takes none: no epoch may be sent then. A change that another
 * overtakes meanwhile is not told.
 */
bool followers_tell(void);

/* As of the last record. */
const struct litemrc_context *follower(uint32_t context);

#endif
