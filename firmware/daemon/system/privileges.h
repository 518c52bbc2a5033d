/* SPDX-License-Identifier: BSD-2-Clause */
/* The irrevocable change from root to an unprivileged user. */
#ifndef LITEMRCD_PRIVILEGES_H
#define LITEMRCD_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

struct identity {
	uid_t user;
	gid_t group;
};

/* Reads USER or USER:GROUP, names or numbers, of an option; exits if there is no such user or group. */
struct identity identity_named(const char *option, const char *text);

/* Reads GROUP, a name or a number, of an option; exits if there is no such group. */
gid_t group_named(const char *option, const char *text);

/* Becomes `identity` (NULL: keeps the present user, which is not root). Exits if root could be regained. */
void privileges_drop(const struct identity *identity);

/*
 * Of the process that starts programs: its effective user becomes `lent`, its real and saved users `own`. Exits if root
 * could be regained.
 */
void privileges_split(const struct identity *own, const struct identity *lent);

/* In its child: becomes `identity` for good; `former` cannot be regained. Exits on failure. */
void privileges_take(const struct identity *identity, const struct identity *former);

#endif
