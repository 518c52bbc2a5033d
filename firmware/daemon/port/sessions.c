// SPDX-License-Identifier: BSD-2-Clause
#include "port/sessions.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "messages/hosts.h"
#include "port/port.h"
#include "processes/runs.h"
#include "service.h"

static struct session {
	int port;
	uint8_t read_ahead[256];
	size_t read_count, read_used;
	struct service service;
} sessions[HOSTS];

static struct litemrc_hello hello;
static unsigned int answered, damaged;	/* damaged: of hosts that left */

static void answer_held(unsigned int host)
{
	struct reply reply = service_answer(&sessions[host].service, &hello);

	if (!reply.body)
		return;
	host_send(host, reply.type, reply.body, reply.bytes);
	answered++;
	runs_release();
}

void sessions_init(int tty)
{
	struct reply reply;

	port_init();
	session_open(SERIAL, tty);
	reply = service_hello(&sessions[SERIAL].service, 0, &hello);
	host_send(SERIAL, reply.type, reply.body, reply.bytes);
}

void session_open(unsigned int host, int port)
{
	struct session *session = &sessions[host];

	damaged += session->service.receiver.damaged + session->service.receiver.oversized;
	session->port = port;
	session->read_count = session->read_used = 0;
	service_begin(&session->service, &linux_device, host != SERIAL);
}

bool session_can_read(unsigned int host)
{
	return sessions[host].read_used == sessions[host].read_count;
}

short session_events(unsigned int host)
{
	bool waits = sessions[host].service.receiver.held || !session_can_read(host);

	return (session_can_read(host) ? POLLIN : 0) | (waits || !host_is_idle(host) ? POLLOUT : 0);
}

int session_read(unsigned int host)
{
	struct session *session = &sessions[host];
	ssize_t got = read(session->port, session->read_ahead, sizeof(session->read_ahead));

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!got)
		return -EIO;	/* hung up */
	session->read_count = got;
	session->read_used = 0;
	return 0;
}

void session_progress(unsigned int host)
{
	struct session *session = &sessions[host];

	for (;;) {
		if (session->service.receiver.held) {
			if (!host_has_room(host))
				return;
			answer_held(host);
		}
		if (session_can_read(host))
			return;
		litemrc_receiver_push(&session->service.receiver, session->read_ahead[session->read_used++]);
	}
}

unsigned int sessions_damaged(void)
{
	unsigned int all = damaged;

	for (unsigned int host = 0; host < HOSTS; host++)
		all += sessions[host].service.receiver.damaged + sessions[host].service.receiver.oversized;
	return all;
}

unsigned int sessions_answered(void)
{
	return answered;
}
