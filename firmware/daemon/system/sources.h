/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the daemon waits for. The kernel keeps them from one time to the next, which poll() has it ask anew. */
#ifndef LITEMRCD_SOURCES_H
#define LITEMRCD_SOURCES_H

#include <poll.h>

#define SOURCES_MAX 16

/* Exits if the kernel has no epoll. */
void sources_open(void);

/* As poll(): a source is told by its place. Returns 0 or -errno. */
int sources_wait(struct pollfd *sources, unsigned int count, int timeout_ms);

/* Closes a source's file; the next one may have the same number. */
void sources_close(int fd);

#endif
