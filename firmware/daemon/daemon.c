// SPDX-License-Identifier: BSD-2-Clause
#include "daemon.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "budgets/lease.h"
#include "driver/driver.h"
#include "driver/record.h"
#include "messages/epochs.h"
#include "messages/followers.h"
#include "messages/outbox.h"
#include "processes/cgroups.h"
#include "processes/child.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "requests/service.h"
#include "system/privileges.h"
#include "system/say.h"
#include "system/tty.h"

/* Until the host asks for another length: an epoch of 8 contexts takes 115200 baud 0.3 s. */
#define BOOT_EPOCH_CYCLES (1u << 24)

enum { SIGNALS, DEVICE, TTY, SOURCES };

static int open_signals(void)
{
	sigset_t taken;
	int signals;

	sigemptyset(&taken);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGHUP);
	sigaddset(&taken, SIGCHLD);
	sigprocmask(SIG_BLOCK, &taken, NULL);
	signal(SIGCHLD, SIG_DFL);	/* the caller may ignore it: then no status would come */
	signal(SIGPIPE, SIG_IGN);	/* nobody may read what we say */
	signals = signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals < 0)
		give_up(1, "use a kernel with CONFIG_SIGNALFD", "signals: %s", strerror(errno));
	return signals;
}

/* The monitor counts, and epochs end, whoever boots it. */
static void start_counting(void)
{
	uint32_t length;
	bool cycles;

	if (!driver_epoch_length(&cycles, &length) && !length)
		driver_order(SETTING_EPOCH_LENGTH, "%u cycles\n", BOOT_EPOCH_CYCLES);
	driver_order(SETTING_ENABLE, "1\n");
}

static bool must_end(int signals)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		end |= info.ssi_signo != SIGCHLD;	/* runs_progress() looks for ended children */
	return end;
}

static void take_record(int device)
{
	const struct litemrc_epoch *record = record_read(device);

	if (!record)
		return;
	/* No epoch overtakes a process message. */
	epochs_send(record, followers_tell());
	followers_note(record);
	followers_tell();
}

static void say_goodbye(void)
{
	say("ends: %u requests answered, %u frames damaged, %u epoch messages, %u of them lost", service_answered(),
	    service_damaged(), (unsigned int)epochs_sent(), (unsigned int)epochs_lost());
}

/* How long to wait for something to happen, in ms; -1: for ever. */
static int patience_ms(void)
{
	int runs = runs_patience_ms(), lease = lease_patience_ms();

	if (runs < 0 || lease < 0)
		return runs < 0 ? lease : runs;
	return runs < lease ? runs : lease;
}

/* Serves until a signal or an error of the port; returns 0 or its -errno. */
static int serve(struct pollfd *sources)
{
	int error = 0;

	while (!error) {
		sources[TTY].events = (service_can_read() ? POLLIN : 0) | (outbox_empty() ? 0 : POLLOUT);
		if (poll(sources, SOURCES, patience_ms()) < 0 && errno != EINTR)
			return -errno;
		if (must_end(sources[SIGNALS].fd))
			return 0;
		if (sources[DEVICE].revents)
			take_record(sources[DEVICE].fd);
		if (service_can_read() && (sources[TTY].revents & (POLLIN | POLLHUP | POLLERR)))
			error = service_read();
		followers_tell();
		service_progress();
		runs_progress();
		lease_progress();
		if (!error)
			error = outbox_flush();
	}
	return error;
}

int daemon_serve(const struct options *options)
{
	struct identity identity = {0};
	struct pollfd sources[SOURCES] = {{.events = POLLIN}, {.events = POLLIN}, {0}};
	bool root = !geteuid();
	int error;

	if (root && !options->user)
		give_up(EXIT_BAD_INPUT, "name whom to become by --user USER:GROUP", "started as root without --user");
	if (!root && options->user)
		give_up(EXIT_BAD_INPUT, "leave out --user, or start as root", "only root can become another user");
	if (options->user)
		identity = identity_named(options->user);
	programs_read(options->config);
	for (uint32_t i = 0; i < program_count; i++)
		if (programs[i].children && !strcmp(options->cgroup, CGROUPS_NONE))
			give_up(EXIT_BAD_INPUT, "take out [children], or let it have cgroups",
				"%s: children of %s can be followed in a cgroup only", options->config, programs[i].name);
	sources[SIGNALS].fd = open_signals();
	driver_open(options->sysfs, options->clock_hz);
	sources[DEVICE].fd = record_open(options->device);
	followers_init();
	sources[TTY].fd = tty_open(options->tty, options->baud);
	cgroups_init(options->cgroup, root ? &identity : NULL);
	run_child_init();
	privileges_drop(root ? &identity : NULL);
	atexit(runs_end_all);

	outbox_init(sources[TTY].fd, parameters.contexts);
	service_init(sources[TTY].fd);
	start_counting();
	say("serves %s, %u programs", options->tty, (unsigned int)program_count);
	error = serve(sources);
	say_goodbye();
	if (error)
		give_up(1, "check the port, and start it again", "%s: %s", options->tty, strerror(-error));
	return 0;
}
