/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The daemon's subtree of cgroup v2. It contains a group for the daemon itself, which may move processes only between
 * groups below its own, and a group for each running program.
 */
#ifndef LITEMRCD_CGROUPS_H
#define LITEMRCD_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/privileges.h"

#define CGROUPS_NONE "none"

/*
 * Creates the subtree at `path`, moves this process into it and changes its owner (NULL: keeps it). Exits if there is
 * no cgroup v2. `path` "none": programs get no group.
 */
void cgroups_init(const char *path, const struct identity *owner);

bool cgroups_exist(void);

/* Protects n bytes of the subtree (memory.low), since a group is protected no more than those above it. */
void cgroups_protect(uint64_t bytes);

/* Creates an empty group. Returns its open folder, or -errno. */
int cgroup_make(const char *name);

/* Writes the kernel's path of the group into `path`; returns false if it does not fit. */
bool cgroup_path(const char *name, char *path, size_t size);

/* Return 0 or -errno; -EBUSY: a group that still has processes cannot be removed. */
int cgroup_enter(int group, pid_t pid);
int cgroup_remove(const char *name);

/* Kills all processes in the group; returns before they are gone. */
void cgroup_kill(int group);
bool cgroup_is_empty(int group);

#endif
