/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A subtree of cgroup v2 of the daemon's own: below it one for the daemon (a process may only be moved between groups
 * below one's own) and one for each program that runs.
 */
#ifndef LITEMRCD_CGROUPS_H
#define LITEMRCD_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "system/privileges.h"

#define CGROUPS_NONE "none"

/*
 * Makes the subtree at `path`, moves this process into it and hands it to `owner` (NULL: it is ours already). Gives up
 * when there is no cgroup v2. `path` "none": programs get no group.
 */
void cgroups_init(const char *path, const struct identity *owner);

bool cgroups_exist(void);

/* A fresh group: returns its folder, opened, or -errno. */
int cgroup_make(const char *name);

/* Where it stands in the tree, as the kernel names it; false when that is too long. */
bool cgroup_path(const char *name, char *path, size_t size);

/* Return 0 or -errno; a group that still has processes cannot be removed (-EBUSY). */
int cgroup_enter(int group, pid_t pid);
int cgroup_remove(const char *name);

/* Ends all processes in the group, sooner or later. */
void cgroup_kill(int group);
bool cgroup_is_empty(int group);

#endif
