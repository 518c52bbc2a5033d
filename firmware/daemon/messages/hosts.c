// SPDX-License-Identifier: BSD-2-Clause
#include "messages/hosts.h"

#define SERIAL_EPOCHS 4
#define CLIENT_EPOCHS 2	/* the kernel's buffer of a socket holds some more */

static struct {
	bool joined;
	struct outbox outbox;
} hosts[HOSTS];

static uint32_t lost;

void hosts_init(int tty, size_t record_bytes, bool with_clients)
{
	for (unsigned int host = 0; host < (with_clients ? HOSTS : 1); host++)
		outbox_init(&hosts[host].outbox, host == SERIAL ? SERIAL_EPOCHS : CLIENT_EPOCHS, record_bytes);
	hosts_join(SERIAL, tty);
}

void hosts_join(unsigned int host, int port)
{
	hosts[host].joined = true;
	outbox_open(&hosts[host].outbox, port);
}

void hosts_leave(unsigned int host)
{
	hosts[host].joined = false;
}

bool hosts_has(unsigned int host)
{
	return hosts[host].joined;
}

bool host_has_room(unsigned int host)
{
	return outbox_has_room(&hosts[host].outbox);
}

bool host_has_room_for(unsigned int host, size_t bytes)
{
	return outbox_has_room_for_record(&hosts[host].outbox, bytes);
}

bool hosts_have_room_for(size_t bytes)
{
	for (unsigned int host = 0; host < HOSTS; host++)
		if (hosts[host].joined && !host_has_room_for(host, bytes))
			return false;
	return true;
}

void host_send(unsigned int host, uint32_t type, const void *body, size_t bytes)
{
	outbox_send(&hosts[host].outbox, type, &(struct piece){body, bytes}, 1);
}

bool host_is_idle(unsigned int host)
{
	return outbox_empty(&hosts[host].outbox);
}

int host_flush(unsigned int host)
{
	return outbox_flush(&hosts[host].outbox);
}

void hosts_send(uint32_t type, const void *body, size_t bytes)
{
	for (unsigned int host = 0; host < HOSTS; host++) {
		if (!hosts[host].joined)
			continue;
		if (host_has_room(host))
			host_send(host, type, body, bytes);
		else
			outbox_skip(&hosts[host].outbox);
	}
}

void hosts_send_record(const struct piece *pieces, unsigned int count)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < count; i++)
		bytes += pieces[i].length;
	for (unsigned int host = 0; host < HOSTS; host++)
		if (hosts[host].joined && outbox_has_room_for_record(&hosts[host].outbox, bytes))
			outbox_send(&hosts[host].outbox, LITEMRC_MESSAGE_EPOCH, pieces, count);
		else if (host == SERIAL)
			lost++;
}

uint32_t hosts_lost(void)
{
	return lost;
}
