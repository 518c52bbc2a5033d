/* SPDX-License-Identifier: BSD-2-Clause */
/* From root to a user that may do nothing, for good. */
#ifndef LITEMRCD_PRIVILEGES_H
#define LITEMRCD_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

struct identity {
	uid_t user;
	gid_t group;
};

/* Reads USER or USER:GROUP, names or numbers, and gives up when there are none such. */
struct identity identity_named(const char *text);

/* Becomes `identity`, or, NULL, stays who it is, which must not be root. Gives up unless there is no way back. */
void privileges_drop(const struct identity *identity);

#endif
