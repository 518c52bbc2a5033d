// SPDX-License-Identifier: BSD-2-Clause
/*
 * console: a simulated UART's byte streams on the simulator's stdin and stdout.
 *
 * Unlike LiteX's serial2console it loses no bytes of a long input, does not change the terminal's settings, and
 * continues when stdin ends. It writes a second copy of the SoC's output, each line after the cycle of its first
 * character, so that a boot is timed in cycles and not by a busy machine.
 *
 * A snapshot holds all output so far, and a restored simulation writes it again.
 *
 * Argument: "clocks" (the file of that copy).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <json-c/json.h>

#include "../snapshot/snapshot.h"
#include "error.h"
#include "modules.h"

#define RESET_CLOCKS 4	/* in reset the SoC takes bytes and drops them */

struct console {
	/* pads, named from the SoC's side */
	char *source_data, *source_valid, *source_ready;
	char *sink_data, *sink_valid, *sink_ready;
	char *sys_clk;
	struct {
		clk_edge_state_t edge;
		uint64_t clock;
		bool in_line;
	} now;
	FILE *clocks;
	struct evbuffer *input, *output;
	struct event *readable;
};

static struct event_base *base;

static int console_start(void *event_base)
{
	base = event_base;
	return RC_OK;
}

static void read_input(evutil_socket_t fd, short what, void *arg)
{
	struct console *console = arg;

	(void)what;
	if (evbuffer_read(console->input, fd, -1) <= 0)
		event_del(console->readable);
}

static void console_transfer(struct snapshot *snapshot, void *session)
{
	struct console *console = session;

	snapshot->bytes(snapshot, &console->now, sizeof(console->now));
	snapshot_evbuffer(snapshot, console->input);
	snapshot_evbuffer(snapshot, console->output);
	snapshot_file(snapshot, console->clocks);
	if (!snapshot->restoring)
		return;
	fwrite(evbuffer_pullup(console->output, -1), evbuffer_get_length(console->output), 1, stdout);
	fflush(stdout);
}

static int console_new(void **session, char *args)
{
	struct json_object *json = json_tokener_parse(args), *clocks;
	struct console *console = calloc(1, sizeof(*console));

	if (!console)
		return RC_NOENMEM;
	if (!json || !json_object_object_get_ex(json, "clocks", &clocks)) {
		fprintf(stderr, "console: the argument clocks is missing (got %s)\n", args);
		return RC_ERROR;
	}
	console->clocks = fopen(json_object_get_string(clocks), "w+");
	if (!console->clocks) {
		perror(json_object_get_string(clocks));
		return RC_ERROR;
	}
	setlinebuf(console->clocks);
	json_object_put(json);
	console->input = evbuffer_new();
	console->output = evbuffer_new();
	console->readable = event_new(base, STDIN_FILENO, EV_READ | EV_PERSIST, read_input, console);
	event_add(console->readable, NULL); /* fails on a file: no input then */
	if (snapshot_register)
		snapshot_register("console", console_transfer, console);
	*session = console;
	return RC_OK;
}

static char *pad(struct pad_list_s *list, const char *name)
{
	for (struct pad_s *p = list->pads; p->name; p++)
		if (!strcmp(p->name, name))
			return p->signal;
	return NULL;
}

static int console_add_pads(void *session, struct pad_list_s *list)
{
	struct console *console = session;

	if (!strcmp(list->name, "serial")) {
		console->source_data = pad(list, "source_data");
		console->source_valid = pad(list, "source_valid");
		console->source_ready = pad(list, "source_ready");
		console->sink_data = pad(list, "sink_data");
		console->sink_valid = pad(list, "sink_valid");
		console->sink_ready = pad(list, "sink_ready");
	}
	if (!strcmp(list->name, "sys_clk"))
		console->sys_clk = pad(list, "sys_clk");
	return RC_OK;
}

static void say(struct console *console, char c)
{
	putchar(c);
	fflush(stdout);
	evbuffer_add(console->output, &c, 1);
	if (!console->now.in_line)
		fprintf(console->clocks, "%" PRIu64 " ", console->now.clock);
	if (c != '\r')
		fputc(c, console->clocks);
	console->now.in_line = c != '\n';
}

static int console_tick(void *session, uint64_t time_ps)
{
	struct console *console = session;

	(void)time_ps;
	if (!clk_pos_edge(&console->now.edge, *console->sys_clk))
		return RC_OK;

	if (console->now.clock++ < RESET_CLOCKS)
		return RC_OK;
	*console->source_ready = 1;
	if (*console->source_valid)
		say(console, *console->source_data);

	*console->sink_valid = evbuffer_get_length(console->input) != 0;
	if (*console->sink_valid) {
		evbuffer_copyout(console->input, console->sink_data, 1);
		if (*console->sink_ready)
			evbuffer_drain(console->input, 1);
	}
	return RC_OK;
}

static struct ext_module_s module = {
	"console", console_start, console_new, console_add_pads, NULL, console_tick,
};

int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *))
{
	return register_module(&module);
}
