// SPDX-License-Identifier: BSD-2-Clause
#include "clients.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "port/sessions.h"
#include "system/log.h"
#include "system/sources.h"
#include "system/timing.h"
#include "system/unix_socket.h"

#define FIRST (SERIAL + 1)
#define PAUSE_MS 250	/* before the next try, when a client cannot be accepted */

static int listener = -1;
static int ports[HOSTS];
static bool refused;	/* a client, and this was logged */
static bool cannot_accept;	/* and this was logged */
static int64_t listen_again_ms;	/* 0: it listens */

void clients_init(int socket)
{
	listener = socket;
}

static void leave(unsigned int host)
{
	hosts_leave(host);
	sources_close(ports[host]);
	refused = false;
}

unsigned int clients_watch(struct pollfd *sources)
{
	if (listener < 0)
		return 0;
	if (listen_again_ms && now_ms() >= listen_again_ms)
		listen_again_ms = 0;
	sources[0] = (struct pollfd){.fd = listen_again_ms ? -1 : listener, .events = POLLIN};
	for (unsigned int host = FIRST; host < HOSTS; host++) {
		struct pollfd *source = &sources[host];

		*source = (struct pollfd){.fd = -1};
		if (hosts_has(host))
			*source = (struct pollfd){.fd = ports[host], .events = session_events(host)};
	}
	return CLIENT_SOURCES;
}

/* A client that cannot be accepted keeps waiting, and poll() would report it again at once. */
static void pause_listening(int error)
{
	if (!cannot_accept)
		log_info("a client of the socket waits: accept: %s; clients are accepted again when the daemon may open files",
		    strerror(error));
	cannot_accept = true;
	listen_again_ms = now_ms() + PAUSE_MS;
}

int clients_timeout_ms(void)
{
	int64_t left;

	if (!listen_again_ms)
		return -1;
	left = listen_again_ms - now_ms();
	return left > 0 ? (int)left : 0;
}

static void accept_one(void)
{
	int port = unix_socket_accept(listener);

	if (port < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)	/* of this client alone */
			pause_listening(errno);
		return;
	}
	cannot_accept = false;
	for (unsigned int host = FIRST; host < HOSTS; host++) {
		if (hosts_has(host))
			continue;
		ports[host] = port;
		hosts_join(host, port);
		session_open(host, port);
		return;
	}
	close(port);
	if (!refused)
		log_info("a client of the socket was refused: %u are connected", CLIENTS_MAX);
	refused = true;
}

void clients_read(const struct pollfd *sources)
{
	for (unsigned int host = FIRST; host < HOSTS; host++) {
		short ready = sources[host].revents;

		if (!hosts_has(host) || !ready)
			continue;
		if (ready & (POLLHUP | POLLERR | POLLNVAL) || (ready & POLLIN && session_read(host)))
			leave(host);
	}
	if (sources[0].revents)
		accept_one();
}

void clients_progress(void)
{
	for (unsigned int host = FIRST; host < HOSTS; host++) {
		if (!hosts_has(host))
			continue;
		session_progress(host);
		if (host_flush(host))
			leave(host);
	}
}
