// SPDX-License-Identifier: BSD-2-Clause
/*
 * serial_link: a simulated UART's byte streams on a TCP port of the loopback interface.
 *
 * Unlike LiteX's serial2tcp it keeps the SoC's bytes until a client reads them, stalls the SoC's
 * transmitter instead of losing bytes, listens on the loopback interface only, and lets the system
 * choose the port.
 *
 * One host at a time, as on a cable: a second one is refused by a message that names the first (sharing.h), or takes over if it
 * says so in its introduction. The host that is replaced gets a message that names the second.
 *
 * A snapshot holds the bytes under way in both directions, and no connection.
 *
 * Arguments: "port" (0: any free one), "port_file" (receives the port number), "cycles_per_byte" (in each direction, as at a baud
 * rate; left out: a byte in each cycle).
 */
#define _GNU_SOURCE	/* POLLRDHUP */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <json-c/json.h>

#include "../snapshot/snapshot.h"
#include "error.h"
#include "modules.h"
#include "sharing.h"

#define UNREAD_LIMIT (16u << 20)	/* bytes kept for a client that does not read */

#define TIMEOUT_S 5	/* for the introduction of a second host, and for the last message to leave */

struct link;

struct client {
	struct link *link;
	struct bufferevent *stream;
	struct introduction introduction;	/* the first bytes that came */
	time_t since;
};

struct link {
	/* pads, named from the SoC's side */
	char *source_data, *source_valid, *source_ready;
	char *sink_data, *sink_valid, *sink_ready;
	char *sys_clk;
	clk_edge_state_t edge;
	struct evbuffer *to_client, *from_client;
	struct client *client;	/* the host */
	unsigned int cycles_per_byte, source_wait, sink_wait;	/* cycles until the wire is free */
};

static struct event_base *base;

static int link_start(void *event_base)
{
	base = event_base;
	signal(SIGPIPE, SIG_IGN);	/* a client that leaves ends its connection, not the SoC */
	return RC_OK;
}

static void client_free(struct client *client)
{
	bufferevent_free(client->stream);
	free(client);
}

static void written(struct bufferevent *stream, void *arg)
{
	(void)stream;
	client_free(arg);
}

static void client_event(struct bufferevent *stream, short what, void *arg)
{
	struct client *client = arg;

	(void)stream;
	if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT)))
		return;
	if (client->link->client == client)
		client->link->client = NULL;
	client_free(client);
}

/* Ends a connection by a message with this text. */
static void dismiss(struct client *client, const char *reason)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_S};
	uint8_t message[SHARING_MESSAGE_MAX];
	size_t length = sharing_message(message, reason);

	if (client->link->client == client)
		client->link->client = NULL;
	bufferevent_disable(client->stream, EV_READ);
	bufferevent_setcb(client->stream, NULL, written, client_event, client);
	bufferevent_set_timeouts(client->stream, NULL, &timeout);
	bufferevent_write(client->stream, message, length);
}

static const char *name_of(const struct client *client)
{
	return client->introduction.name[0] ? client->introduction.name : "a program that gave no name";
}

static void refuse(struct client *client)
{
	char reason[SHARING_REASON_MAX + 1], since[16];

	strftime(since, sizeof(since), "%H:%M:%S", localtime(&client->link->client->since));
	snprintf(reason, sizeof(reason), "%s uses it since %s", name_of(client->link->client), since);
	dismiss(client, reason);
}

/* The bytes that came so far are the SoC's, too: to a device the introduction is a damaged frame, which it drops. */
static void begin(struct client *client)
{
	struct link *link = client->link;

	link->client = client;
	client->since = time(NULL);
	bufferevent_set_timeouts(client->stream, NULL, NULL);
	bufferevent_read_buffer(client->stream, link->from_client);
}

static void take_over(struct client *client)
{
	char reason[SHARING_REASON_MAX + 1];

	snprintf(reason, sizeof(reason), "replaced by %s", name_of(client));
	if (client->link->client)
		dismiss(client->link->client, reason);
	begin(client);
}

/* A host that has left, although the event of that is still to come. */
static bool has_left(const struct client *client)
{
	struct pollfd port = {.fd = bufferevent_getfd(client->stream), .events = POLLRDHUP};

	return poll(&port, 1, 0) > 0;
}

static void client_readable(struct bufferevent *stream, void *arg)
{
	struct client *client = arg;
	struct evbuffer *arrived = bufferevent_get_input(stream);
	uint8_t head[INTRODUCTION_MAX];
	int now = 1;
	size_t count = evbuffer_copyout(arrived, head, sizeof(head));
	enum introduced kind = introduction_read(&client->introduction, head, count);

	/* A client that sends its request in pieces (litex_server) waits for each piece's acknowledgement. */
	setsockopt(bufferevent_getfd(stream), IPPROTO_TCP, TCP_QUICKACK, &now, sizeof(now));
	if (client->link->client == client)
		bufferevent_read_buffer(stream, client->link->from_client);
	else if (!client->link->client || has_left(client->link->client) || kind == INTRODUCED_TAKES)
		take_over(client);
	else if (kind != INTRODUCED_PARTLY)
		refuse(client);
}

static void accepted(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *peer,
		     int len, void *arg)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_S};
	struct link *link = arg;
	struct client *client = calloc(1, sizeof(*client));

	(void)listener; (void)peer; (void)len;
	if (!client) {
		evutil_closesocket(fd);
		return;
	}
	client->link = link;
	client->stream = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
	bufferevent_setcb(client->stream, client_readable, NULL, client_event, client);
	bufferevent_enable(client->stream, EV_READ | EV_WRITE);
	if (!link->client)
		begin(client);
	else
		bufferevent_set_timeouts(client->stream, &timeout, NULL);
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
	struct json_object *json = json_tokener_parse(args), *port, *port_file, *cycles;
	struct link *link = calloc(1, sizeof(*link));
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct evconnlistener *listener;
	int ret = RC_ERROR;

	if (!json || !link || !json_object_object_get_ex(json, "port", &port) ||
	    !json_object_object_get_ex(json, "port_file", &port_file)) {
		fprintf(stderr, "serial_link: the arguments must have port and port_file (got %s)\n", args);
		goto out;
	}
	if (json_object_object_get_ex(json, "cycles_per_byte", &cycles))
		link->cycles_per_byte = json_object_get_int(cycles);
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

	link->source_wait -= !!link->source_wait;
	link->sink_wait -= !!link->sink_wait;
	*link->source_ready = !link->source_wait && evbuffer_get_length(link->to_client) < UNREAD_LIMIT;
	if (*link->source_valid && *link->source_ready) {
		evbuffer_add(link->to_client, link->source_data, 1);
		link->source_wait = link->cycles_per_byte;
	}
	if (link->client && evbuffer_get_length(link->to_client))
		bufferevent_write_buffer(link->client->stream, link->to_client);

	*link->sink_valid = !link->sink_wait && evbuffer_get_length(link->from_client) != 0;
	if (*link->sink_valid) {
		evbuffer_copyout(link->from_client, link->sink_data, 1);
		if (*link->sink_ready) {
			evbuffer_drain(link->from_client, 1);
			link->sink_wait = link->cycles_per_byte;
		}
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
