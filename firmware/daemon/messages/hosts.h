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

/* Allocates the outboxes, once, for records of that many bytes. Without a socket there are no clients. */
void hosts_init(int tty, size_t record_bytes, bool with_clients);

void hosts_join(unsigned int host, int port);
void hosts_leave(unsigned int host);
bool hosts_has(unsigned int host);

/* One host's: for answers. */
bool host_has_room(unsigned int host);
bool host_has_room_for(unsigned int host, size_t bytes);
bool hosts_have_room_for(size_t bytes);
void host_send(unsigned int host, uint32_t type, const void *body, size_t bytes);
bool host_is_idle(unsigned int host);
/* Writes as much as the port accepts. Returns 0, or -errno if the port is gone. */
int host_flush(unsigned int host);

/* For all hosts: one without room misses the message, and sees a gap in the sequence numbers. */
void hosts_send(uint32_t type, const void *body, size_t bytes);

/* For all hosts that have room for the record of an epoch; another one sees the gap in the numbers of epochs. */
void hosts_send_record(const struct piece *pieces, unsigned int count);

/* Records that the serial host had no room for. */
uint32_t hosts_lost(void);

#endif
