// SPDX-License-Identifier: BSD-2-Clause
/*
 * serial_link: a simulated UART's byte streams on a TCP port of the loopback interface.
 *
 * Unlike LiteX's serial2tcp it keeps the SoC's bytes until a client reads them, stalls the SoC's
 * transmitter instead of losing bytes, listens on the loopback interface only, and lets the system
 * choose the port.
 *
 * A snapshot holds the bytes under way in both directions, and no connection.
 *
 * Arguments: "port" (0: any free one), "port_file" (receives the port number).
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <json-c/json.h>

#include "../snapshot/snapshot.h"
#include "error.h"
#include "modules.h"

#define UNREAD_LIMIT (16u << 20)	/* bytes kept for a client that does not read */

struct link {
	/* pads, named from the SoC's side */
	char *source_data, *source_valid, *source_ready;
	char *sink_data, *sink_valid, *sink_ready;
	char *sys_clk;
	clk_edge_state_t edge;
	struct evbuffer *to_client, *from_client;
	struct bufferevent *client;
};

static struct event_base *base;

static int link_start(void *event_base)
{
	base = event_base;
	signal(SIGPIPE, SIG_IGN);	/* a client that leaves ends its connection, not the SoC */
	return RC_OK;
}

static void client_readable(struct bufferevent *client, void *arg)
{
	struct link *link = arg;
	int now = 1;

	bufferevent_read_buffer(client, link->from_client);
	/* A client that sends its request in pieces (litex_server) waits for each piece's acknowledgement. */
	setsockopt(bufferevent_getfd(client), IPPROTO_TCP, TCP_QUICKACK, &now, sizeof(now));
}

static void client_event(struct bufferevent *client, short what, void *arg)
{
	struct link *link = arg;

	if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)))
		return;
	bufferevent_free(client);
	if (link->client == client)
		link->client = NULL;
}

static void accepted(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *peer,
		     int len, void *arg)
{
	struct link *link = arg;

	(void)listener; (void)peer; (void)len;
	if (link->client)	/* one client at a time: the newest */
		bufferevent_free(link->client);
	link->client = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
	bufferevent_setcb(link->client, client_readable, NULL, client_event, link);
	bufferevent_enable(link->client, EV_READ | EV_WRITE);
}

static int announce(evutil_socket_t fd, const char *port_file)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	FILE *file;

	if (getsockname(fd, (struct sockaddr *)&address, &len))
		return RC_ERROR;
	file = fopen(port_file, "w");
	if (!file) {
		perror(port_file);
		return RC_ERROR;
	}
	fprintf(file, "%d\n", ntohs(address.sin_port));
	fclose(file);
	return RC_OK;
}

static void link_transfer(struct snapshot *snapshot, void *session)
{
	struct link *link = session;

	snapshot->bytes(snapshot, &link->edge, sizeof(link->edge));
	snapshot_evbuffer(snapshot, link->to_client);
	snapshot_evbuffer(snapshot, link->from_client);
}

static int link_new(void **session, char *args)
{
	struct json_object *json = json_tokener_parse(args), *port, *port_file;
	struct link *link = calloc(1, sizeof(*link));
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct evconnlistener *listener;
	int ret = RC_ERROR;

	if (!json || !link || !json_object_object_get_ex(json, "port", &port) ||
	    !json_object_object_get_ex(json, "port_file", &port_file)) {
		fprintf(stderr, "serial_link: the arguments must have port and port_file (got %s)\n", args);
		goto out;
	}
	link->to_client = evbuffer_new();
	link->from_client = evbuffer_new();
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = htons(json_object_get_int(port));
	listener = evconnlistener_new_bind(base, accepted, link,
					   LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE, -1,
					   (struct sockaddr *)&address, sizeof(address));
	if (!listener) {
		fprintf(stderr, "serial_link: cannot listen on port %d: ", json_object_get_int(port));
		perror(NULL);
		goto out;
	}
	ret = announce(evconnlistener_get_fd(listener), json_object_get_string(port_file));
	if (snapshot_register)
		snapshot_register("serial_link", link_transfer, link);
	*session = link;
out:
	json_object_put(json);
	return ret;
}

static char *pad(struct pad_list_s *list, const char *name)
{
	for (struct pad_s *p = list->pads; p->name; p++)
		if (!strcmp(p->name, name))
			return p->signal;
	return NULL;
}

static int link_add_pads(void *session, struct pad_list_s *list)
{
	struct link *link = session;

	if (!strcmp(list->name, "serial")) {
		link->source_data = pad(list, "source_data");
		link->source_valid = pad(list, "source_valid");
		link->source_ready = pad(list, "source_ready");
		link->sink_data = pad(list, "sink_data");
		link->sink_valid = pad(list, "sink_valid");
		link->sink_ready = pad(list, "sink_ready");
	}
	if (!strcmp(list->name, "sys_clk"))
		link->sys_clk = pad(list, "sys_clk");
	return RC_OK;
}

static int link_tick(void *session, uint64_t time_ps)
{
	struct link *link = session;

	(void)time_ps;
	if (!clk_pos_edge(&link->edge, *link->sys_clk))
		return RC_OK;

	*link->source_ready = evbuffer_get_length(link->to_client) < UNREAD_LIMIT;
	if (*link->source_valid && *link->source_ready)
		evbuffer_add(link->to_client, link->source_data, 1);
	if (link->client && evbuffer_get_length(link->to_client))
		bufferevent_write_buffer(link->client, link->to_client);

	*link->sink_valid = evbuffer_get_length(link->from_client) != 0;
	if (*link->sink_valid) {
		evbuffer_copyout(link->from_client, link->sink_data, 1);
		if (*link->sink_ready)
			evbuffer_drain(link->from_client, 1);
	}
	return RC_OK;
}

static struct ext_module_s module = {
	"serial_link", link_start, link_new, link_add_pads, NULL, link_tick,
};

int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *))
{
	return register_module(&module);
}
