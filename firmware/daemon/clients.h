/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients of the Unix socket: each reads, and none of them delays the serial host or another client. */
#ifndef LITEMRCD_CLIENTS_H
#define LITEMRCD_CLIENTS_H

#include <poll.h>

#include "messages/hosts.h"

#define CLIENT_SOURCES (1 + CLIENTS_MAX)	/* of poll(): the listener, and the clients */

/* listener -1: there is no socket. Call after hosts_init(). */
void clients_init(int listener);

/* Before poll(): fills in what is waited for; returns for how many, 0 without a socket. */
unsigned int clients_watch(struct pollfd *sources);

/* Until the listener is to be watched again, in ms; -1: it is, or there is none. */
int clients_timeout_ms(void);

/* After poll(): accepts clients, and reads their requests. */
void clients_read(const struct pollfd *sources);

/* Answers requests as far as there is room, and writes what the clients accept; a client that is gone leaves. */
void clients_progress(void);

#endif
