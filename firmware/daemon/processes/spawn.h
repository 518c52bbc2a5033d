/* SPDX-License-Identifier: BSD-2-Clause */
/* A child process that waits to be released before it runs its program, so that a context can follow it first. */
#ifndef LITEMRCD_SPAWN_H
#define LITEMRCD_SPAWN_H

#include <sys/types.h>

struct held_child {
	pid_t pid;
	int gate;
};

/* The parent of the new process: this process, or its parent, which then reaps it. */
enum spawn_as { SPAWN_CHILD, SPAWN_SIBLING };

/*
 * Creates a child that calls `prepare` and, once released, runs `arguments` (a path, or a name looked up in PATH).
 * Returns 0 or -errno. If the program cannot be run, the child prints why and exits with 127 (not found) or 126, as in
 * a shell.
 */
int spawn_held(struct held_child *child, char *const *arguments, void (*prepare)(void), enum spawn_as as);

/* Make the child run its program, or exit without running it. */
void spawn_release(struct held_child *child);
void spawn_cancel(struct held_child *child);

#endif
