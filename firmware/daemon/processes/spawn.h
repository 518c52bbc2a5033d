/* SPDX-License-Identifier: BSD-2-Clause */
/* A child that is followed before it runs its program: it waits until it is let go. */
#ifndef LITEMRCD_SPAWN_H
#define LITEMRCD_SPAWN_H

#include <sys/types.h>

struct held_child {
	pid_t pid;
	int gate;
};

/*
 * Makes a child that will run `arguments` (a path, or a name to be found in PATH) once it is released; `prepare` is
 * called in it at first. Returns 0 or -errno. When the program cannot be run the child says so and ends, as a shell's
 * would, with 127 (not found) or 126.
 */
int spawn_held(struct held_child *child, char *const *arguments, void (*prepare)(void));

/* Lets it run its program, or end without it. */
void spawn_release(struct held_child *child);
void spawn_cancel(struct held_child *child);

#endif
