// SPDX-License-Identifier: BSD-2-Clause
#include "daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "budgets/fault_cost.h"
#include "budgets/groups.h"
#include "budgets/lease.h"
#include "budgets/shrink.h"
#include "clients.h"
#include "driver/driver.h"
#include "driver/ranks.h"
#include "driver/record.h"
#include "messages/epoch_messages.h"
#include "messages/events.h"
#include "messages/hosts.h"
#include "messages/page_messages.h"
#include "port/port.h"
#include "port/sessions.h"
#include "processes/cgroups.h"
#include "processes/child.h"
#include "processes/listed.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "processes/starter.h"
#include "system/privileges.h"
#include "system/log.h"
#include "system/sources.h"
#include "system/timing.h"
#include "system/tty.h"
#include "system/unix_socket.h"

/* Default until the host sets another: at 115,200 baud an epoch of 8 contexts takes 0.3 s to send. */
#define BOOT_EPOCH_CYCLES (1u << 24)
#define PRIORITY (-10) /* else the budgets for an epoch wait for the programs that they concern */

/*
 * Epochs that end faster than the pace are sent several at a time, since to wake costs as much as to send one: but not
 * the first few, nor while pages are sent, which the driver has of the last epoch only.
 */
#define BURST 4

#define GONE (POLLHUP | POLLERR | POLLNVAL)

enum { SIGNALS, DEVICE, TTY, CLIENTS, SOURCES = CLIENTS + CLIENT_SOURCES };

_Static_assert(SOURCES <= SOURCES_MAX, "all are waited for");

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
	signal(SIGCHLD, SIG_DFL);	/* an ignored SIGCHLD is not delivered */
	signal(SIGPIPE, SIG_IGN);	/* stderr may be a closed pipe */
	signals = signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals < 0)
		die(1, "use a kernel with CONFIG_SIGNALFD", "signalfd: %s", strerror(errno));
	return signals;
}

/* Enables the monitor, with an epoch length if none is set. */
static void start_counting(void)
{
	uint32_t length;
	bool cycles;

	if (!driver_epoch_length(&cycles, &length) && !length)
		driver_set_epoch_length(true, BOOT_EPOCH_CYCLES);
	driver_write_setting(SETTING_ENABLE, "1\n");
}

static bool must_end(int signals)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		end |= info.ssi_signo != SIGCHLD;	/* runs_reap() follows */
	return end;
}

static int64_t pace_ns;
static int64_t paced_ns;	/* when the epochs taken so far would have been due */
static int64_t ended_ns;	/* the first of those taken last */

/* Until epochs may be taken; -1: now. */
static int epochs_timeout_ms(void)
{
	struct page_messages pages = pages_selected();
	int64_t next = paced_ns - BURST * pace_ns;
	int64_t left = 0;

	if (next > ended_ns)	/* else no system call for the time */
		left = next / NS_OF_MS - now_ms();
	return left > 0 && !pages.accessed && !pages.hot ? (int)left : -1;
}

static int flush(void)
{
	int error = host_flush(SERIAL);

	clients_progress();
	return error;
}

/*
 * Takes one epoch, or all that have ended if they end faster than the pace. Returns 0, or -errno of the port: between
 * two epochs it is written to if the next one may not fit.
 */
static int take_records(const struct pollfd *device)
{
	const struct litemrc_epoch *record = record_read(device->fd);
	bool several = false;
	int error = 0;

	if (!record && device->revents & GONE)	/* reported by each poll() from now on */
		die(1, "load the driver and start the daemon again", "the driver has no more epochs");
	if (record) {
		ended_ns = record->end_ns;
		several = paced_ns > ended_ns;
		paced_ns = (several ? paced_ns : ended_ns) + pace_ns;
	}
	for (; record && !error; record = several ? record_read(device->fd) : NULL) {
		if (!hosts_have_room_for(epochs_most()))
			error = flush();
		epochs_send(record);
		if (record->flags & LITEMRC_EPOCH_COMMAND_LOST)
			events_command_lost(record->epoch);
	}
	return error;
}

/* Returns 0, or -errno of a port that is gone: poll() would report that again at once, whatever is waited for. */
static int read_serial(short ready)
{
	bool can_read = session_can_read(SERIAL);
	int error = can_read && ready & (POLLIN | GONE) ? session_read(SERIAL) : 0;

	if (!error && ready & GONE && (!can_read || session_can_read(SERIAL)))
		return -EIO;
	return error;
}

static void say_end(void)
{
	log_info("ends: %u requests answered, %u frames damaged, %u epochs lost", sessions_answered(), sessions_damaged(),
		 (unsigned int)hosts_lost());
}

/* Timeout of the next poll(), in ms; -1: none. `epochs`: that of the epochs. */
static int next_timeout_ms(int epochs)
{
	const int limits[] = {runs_timeout_ms(), lease_timeout_ms(&linux_device), fault_cost_timeout_ms(),
			      pages_timeout_ms(), clients_timeout_ms(), shrink_timeout_ms(), epochs};
	int least = -1;

	for (unsigned int i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i] >= 0 && (least < 0 || limits[i] < least))
			least = limits[i];
	return least;
}

/* Returns 0 after a signal, or -errno of the port. */
static int serve(struct pollfd *sources)
{
	unsigned int count;
	int wait_ms, error = 0;

	while (!error) {
		wait_ms = epochs_timeout_ms();
		sources[DEVICE].events = wait_ms < 0 ? POLLIN : 0;
		sources[TTY].events = session_events(SERIAL);
		count = CLIENTS + clients_watch(sources + CLIENTS);
		error = sources_wait(sources, count, next_timeout_ms(wait_ms));
		if (error)
			return error;
		if (sources[SIGNALS].revents && must_end(sources[SIGNALS].fd))
			return 0;
		if (sources[DEVICE].revents)
			error = take_records(&sources[DEVICE]);
		pages_progress();
		if (!error)
			error = read_serial(sources[TTY].revents);
		clients_read(sources + CLIENTS);
		session_progress(SERIAL);
		fault_cost_progress();
		if (sources[SIGNALS].revents)
			runs_reap();
		runs_progress();
		lease_progress(&linux_device);
		shrink_progress();
		if (!error)
			error = flush();
	}
	return error;
}

static void end_lease(void)
{
	device_end_lease(&linux_device);
}

static const char *socket_path;

/* As another user the daemon may not remove it: it stays, stale, and is replaced at the next start. */
static void remove_socket(void)
{
	unlink(socket_path);
}

static int open_socket(const struct options *options, const struct identity *owner)
{
	struct socket_access access = {.owner = owner, .group = NO_GROUP, .mode = options->socket_mode};

	if (!options->socket)
		return -1;
	if (options->socket_group)
		access.group = group_named("--socket-group", options->socket_group);
	return unix_socket_open(options->socket, &access);
}

int daemon_serve(const struct options *options)
{
	struct identity identity = {0}, programs_identity = {0};
	struct pollfd sources[SOURCES] = {{.events = POLLIN}};
	bool root = !geteuid();
	int listener, error;

	if (root && !options->user)
		die(EXIT_BAD_INPUT, "name an unprivileged user with --user USER:GROUP",
			"started as root without --user");
	if (!root && options->user)
		die(EXIT_BAD_INPUT, "leave out --user, or start as root",
			"--user %s: only root can change the user", options->user);
	if (options->user)
		identity = identity_named("--user", options->user);
	programs_read(options->config);
	if (root && program_count && !options->program_user)
		die(EXIT_BAD_INPUT, "name a user for them with --program-user USER:GROUP",
			"%s lists programs, which would run as the daemon's user", options->config);
	if (!root && options->program_user)
		die(EXIT_BAD_INPUT, "leave out --program-user, or start as root",
			"--program-user %s: only root can change the user", options->program_user);
	if (options->program_user)
		programs_identity = identity_named("--program-user", options->program_user);
	if (options->program_user && programs_identity.user == identity.user)
		die(EXIT_BAD_INPUT, "name two users", "--program-user %s is the daemon's user, too",
			options->program_user);
	for (uint32_t i = 0; i < program_count; i++)
		if (programs[i].children && !strcmp(options->cgroup, CGROUPS_NONE))
			die(EXIT_BAD_INPUT, "remove [children], or name a cgroup with --cgroup",
				"%s: [children] of %s needs a cgroup", options->config, programs[i].name);
	sources_open();
	sources[SIGNALS].fd = open_signals();
	driver_open(options->sysfs, options->device, options->clock_hz);
	sources[DEVICE].fd = record_open(options->device);
	sources[TTY].fd = tty_open(options->tty, options->baud);
	cgroups_init(options->cgroup, root ? &identity : NULL);
	groups_open(options->cgroups);
	child_init();
	starter_begin(root ? &identity : NULL, options->program_user ? &programs_identity : NULL);
	listener = open_socket(options, root ? &identity : NULL);
	if (root && setpriority(PRIO_PROCESS, 0, PRIORITY))
		log_info("busy programs may delay epochs: setpriority: %s", strerror(errno));
	privileges_drop(root ? &identity : NULL);
	atexit(groups_protect_programs);	/* the last one: of none */
	atexit(runs_end_all);
	atexit(fault_cost_end);
	atexit(end_lease);

	hosts_init(sources[TTY].fd, epochs_most(), listener >= 0);
	clients_init(listener);
	pages_init();
	sessions_init(sources[TTY].fd);
	pace_ns = (int64_t)options->pace_ms * NS_OF_MS;
	start_counting();
	if (program_count && !options->program_user)
		log_info("programs run as the daemon's user: they can change their budgets");
	if (listed_count)
		log_info("a host may govern %u cgroups", (unsigned int)listed_count);
	if (options->socket) {
		socket_path = options->socket;
		atexit(remove_socket);
		log_info("up to %u clients may read at %s", CLIENTS_MAX, options->socket);
	}
	log_info("serves %s, %u programs", options->tty, (unsigned int)program_count);
	error = serve(sources);
	say_end();
	if (error)
		die(1, "check the port and start the daemon again", "%s: %s", options->tty, strerror(-error));
	return 0;
}
