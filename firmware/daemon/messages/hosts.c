// SPDX-License-Identifier: BSD-2-Clause
#include "messages/hosts.h"

#define SERIAL_EPOCHS 4
#define CLIENT_EPOCHS 2	/* the kernel's buffer of a socket holds some more */

static struct {
	bool joined, held, takes_epoch, takes;
	struct outbox outbox;
} hosts[HOSTS];

void hosts_init(int tty, unsigned int messages, bool with_clients)
{
	for (unsigned int host = 0; host < (with_clients ? HOSTS : 1); host++)
		outbox_init(&hosts[host].outbox, host == SERIAL ? SERIAL_EPOCHS : CLIENT_EPOCHS, messages);
	hosts_join(SERIAL, tty);
}

void hosts_join(unsigned int host, int port)
{
	hosts[host].held = hosts[host].takes_epoch = hosts[host].takes = false;
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

void host_send(unsigned int host, struct device_message *message)
{
	outbox_send(&hosts[host].outbox, message);
}

bool host_is_idle(unsigned int host)
{
	return outbox_empty(&hosts[host].outbox);
}

int host_flush(unsigned int host)
{
	return outbox_flush(&hosts[host].outbox);
}

void hosts_send(struct device_message *message)
{
	for (unsigned int host = 0; host < HOSTS; host++) {
		if (!hosts[host].joined)
			continue;
		if (host_has_room(host))
			host_send(host, message);
		else
			outbox_skip(&hosts[host].outbox);
	}
}

void host_hold(unsigned int host, bool on)
{
	hosts[host].held = on;
}

static bool has_room_for(unsigned int host, unsigned int messages)
{
	return outbox_has_room_for_epoch(&hosts[host].outbox, messages);
}

bool hosts_begin_epoch(unsigned int messages)
{
	bool any = false;

	for (unsigned int host = 0; host < HOSTS; host++) {
		bool takes = hosts[host].joined && !hosts[host].held && has_room_for(host, messages);

		hosts[host].takes = hosts[host].takes_epoch = takes;
		any |= takes;
	}
	return any;
}

bool hosts_begin_pages(unsigned int messages)
{
	bool any = false;

	for (unsigned int host = 0; host < HOSTS; host++) {
		hosts[host].takes = hosts[host].takes_epoch && has_room_for(host, messages);
		any |= hosts[host].takes;
	}
	return any;
}

void hosts_begin_between(unsigned int messages)
{
	for (unsigned int host = 0; host < HOSTS; host++)
		hosts[host].takes = hosts[host].joined && has_room_for(host, messages);
}

bool host_takes(unsigned int host)
{
	return hosts[host].takes;
}

void hosts_send_epoch(struct device_message *message)
{
	for (unsigned int host = 0; host < HOSTS; host++)
		if (hosts[host].takes)
			host_send(host, message);
}
