/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hosts: that at the serial port, and the clients of the socket. Each has an outbox of its own, so that one that
 * does not read loses its own epochs only. The serial host is always there, also while nothing is connected to the port.
 */
#ifndef LITEMRCD_HOSTS_H
#define LITEMRCD_HOSTS_H

#include <stdbool.h>

#include "messages/outbox.h"

#define SERIAL 0u	/* the other numbers are those of clients */
#define CLIENTS_MAX 8u
#define HOSTS (1 + CLIENTS_MAX)

/* Allocates the outboxes, once, for epochs of that many messages. Without a socket there are no clients. */
void hosts_init(int tty, unsigned int messages, bool with_clients);

void hosts_join(unsigned int host, int port);
void hosts_leave(unsigned int host);
bool hosts_has(unsigned int host);

/* One host's: for answers and process messages. */
bool host_has_room(unsigned int host);
void host_send(unsigned int host, struct device_message *message);
bool host_is_idle(unsigned int host);
/* Writes as much as the port accepts. Returns 0, or -errno if the port is gone. */
int host_flush(unsigned int host);

/* For all hosts: one without room misses the message, and sees a gap in the sequence numbers. */
void hosts_send(struct device_message *message);

/* While it is on, the host gets no epochs: a process message before them has no room. */
void host_hold(unsigned int host, bool on);

/*
 * Begins an epoch of that many messages, for the hosts that have room for all of them; or as many messages of single
 * pages, for those of them that still have room. Return whether there are any. hosts_send_epoch() sends to these hosts.
 */
bool hosts_begin_epoch(unsigned int messages);
bool hosts_begin_pages(unsigned int messages);
void hosts_send_epoch(struct device_message *message);

/* Whether the host gets the messages that were begun. */
bool host_takes(unsigned int host);

/* Begins messages between epochs, for all hosts that have room for as many. */
void hosts_begin_between(unsigned int messages);

#endif
