/* SPDX-License-Identifier: BSD-2-Clause */
/* The cgroups that the configuration file lists: a host may have contexts follow them, and set their budgets. */
#ifndef LITEMRCD_LISTED_H
#define LITEMRCD_LISTED_H

#include <stdbool.h>
#include <stdint.h>

#define LISTED_MAX 16
#define LISTED_LONGEST 120	/* bytes of a path, as on the link */

extern uint32_t listed_count;

/* Path from the root of cgroup v2, such as /app/web. */
const char *listed_path(uint32_t number);

/* Adds the path of a line of the configuration. Returns an error text, or NULL. */
const char *listed_add(const char *path);

/* The number of a path; -1: it is not listed. */
int listed_find(const char *path);

/* Whether the cgroup `above` is one of those that contain `path`. */
bool listed_contains(const char *above, const char *path);

#endif
