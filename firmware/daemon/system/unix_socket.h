/* SPDX-License-Identifier: BSD-2-Clause */
/* The Unix socket on which clients connect: a file with an owner, a group and a mode. */
#ifndef LITEMRCD_UNIX_SOCKET_H
#define LITEMRCD_UNIX_SOCKET_H

#include "system/privileges.h"

#define NO_GROUP ((gid_t)-1)

struct socket_access {
	const struct identity *owner;	/* NULL: the present user */
	gid_t group;			/* NO_GROUP: the owner's */
	mode_t mode;
};

/*
 * Listens at `path`, non-blocking. A stale socket there, at which nobody listens, is replaced. Exits if there is
 * another file, if another program listens, or if the socket cannot be made. Call before privileges are dropped.
 */
int unix_socket_open(const char *path, const struct socket_access *access);

/* Accepts a connection, non-blocking. Returns it or -1: none. */
int unix_socket_accept(int listener);

#endif
