/* SPDX-License-Identifier: BSD-2-Clause */
/* S/contexts/N of firmware/linux/ABI.md: the process that a context follows. */
#ifndef LITEMRCD_CONTEXTS_H
#define LITEMRCD_CONTEXTS_H

#include <sys/types.h>

#include "litemrc_uapi.h"

struct context_files {
	int state, pid, cgroup, comm;
};

/* Opens the files of a context below the open folder `contexts`. Returns 0 or -errno; -ENOENT: no such context. */
int context_files_open(struct context_files *files, int contexts, unsigned int number);
void context_files_close(struct context_files *files);

/* Return 0 or -errno. */
int context_files_read(const struct context_files *files, struct litemrc_row *followed);
/* The path of the cgroup that the context follows; empty: none. */
int context_files_cgroup(const struct context_files *files, char *path, size_t size);
int context_files_follow(const struct context_files *files, pid_t pid);
int context_files_follow_cgroup(const struct context_files *files, const char *path);

#endif
