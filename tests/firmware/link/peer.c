// SPDX-License-Identifier: BSD-2-Clause
/*
 * A device on a TCP port of the loopback interface, for tests of Device, Collector and the command line. It has the frames
 * and the service of the firmware; its counters are functions of the epoch and context numbers.
 *
 * peer [epochs=N] [period_ms=N] [noise=N] [seed=N] [fault=FAULT]
 *   epochs      without a request, send this many epochs after hello (default 0)
 *   period_ms   between two epochs (default 0)
 *   system      1: with an operating system: programs run concurrently, each in a process that its context follows
 *   ranks       1: four power domains
 *   tasks       1: a program is two tasks, in its context and the next, with budgets
 *   pages       1: page bitmap and hot pages
 *   refs        1: reference counters; programs keep copies of pages
 *   noise       bytes in a million that are flipped, dropped or doubled on their way to the host
 *   fault       silent: never answers; version: another major version of the protocol; vanish: hangs up in the middle of a frame
 *               after the 5th epoch; restart: counts from 0 after the 5th epoch; nonsense: the 5th epoch is inconsistent;
 *               endless: has no epoch length; hole: the 5th epoch is lost
 * Prints "port N"; when the host hangs up, prints "sent N" (epochs) and ends.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

#define BOOT_US 500000	/* pyserial drops what arrives while it opens a port */

struct peer_option option = {.seed = 1, .fault = ""};

bool fault(const char *name)
{
	return !strcmp(option.fault, name);
}

/* Sends the next epoch, of running programs or of `epochs`. */
static void proceed(void)
{
	if (runs_running(&device)) {
		runs_proceed();
	} else if (peer_greeted() && option.epochs) {
		option.epochs--;
		send_epoch(6);
	}
}

static void parse(const char *argument)
{
	const char *value = strchr(argument, '=') + 1;

	if (!strncmp(argument, "epochs=", 7))
		option.epochs = atol(value);
	else if (!strncmp(argument, "period_ms=", 10))
		option.period_ms = atol(value);
	else if (!strncmp(argument, "noise=", 6))
		option.noise = atol(value);
	else if (!strncmp(argument, "system=", 7))
		option.system = atol(value);
	else if (!strncmp(argument, "ranks=", 6))
		option.ranks = atol(value);
	else if (!strncmp(argument, "tasks=", 6))
		option.tasks = atol(value);
	else if (!strncmp(argument, "refs=", 5))
		option.refs = atol(value);
	else if (!strncmp(argument, "pages=", 6))
		option.pages = atol(value);
	else if (!strncmp(argument, "seed=", 5))
		option.seed = atol(value);
	else
		option.fault = value;
}

int main(int argc, char **argv)
{
	struct timespec now, next = {0};
	int host;

	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	srandom(option.seed);
	signal(SIGPIPE, SIG_IGN); /* write() fails instead */
	peer_begin();
	host = line_open();
	if (option.system) {
		usleep(BOOT_US);
		peer_boot();
	}
	for (;;) {
		struct pollfd ready = {.fd = host, .events = POLLIN};
		bool busy = runs_running(&device) || (peer_greeted() && option.epochs);

		if (poll(&ready, 1, busy ? option.period_ms : -1) > 0)
			peer_receive();
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > next.tv_sec || (now.tv_sec == next.tv_sec && now.tv_nsec >= next.tv_nsec)) {
			proceed();
			next = now;
			next.tv_nsec += option.period_ms * 1000000;
			next.tv_sec += next.tv_nsec / 1000000000;
			next.tv_nsec %= 1000000000;
		}
	}
}
