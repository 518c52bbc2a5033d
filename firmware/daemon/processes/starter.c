// SPDX-License-Identifier: BSD-2-Clause
#include "processes/starter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "processes/child.h"
#include "processes/programs.h"
#include "processes/spawn.h"
#include "system/log.h"

#define KILL_AFTER_MS 2000
#define FILES_MAX 4096

/* What the daemon orders; only HOLD is answered. */
struct order {
	enum { HOLD, RELEASE, CANCEL, SIGNAL } kind;
	uint32_t number;	/* of a HOLD */
	uint32_t program, scale;
	pid_t pid;
	int signal;
};

struct answer_to_hold {
	uint32_t number;
	pid_t pid;	/* or -errno */
};

static int helper = -1;	/* the daemon's end */
static uint32_t holds;
static const struct identity *own_user, *programs_user;	/* NULL: the present user; no second one */

/* ---------------------------------------------------------------------------------------------- in the helper */

static void prepare(void)
{
	if (programs_user)
		privileges_take(programs_user, own_user);
	child_prepare();
}

static void close_all_but(int kept)
{
	for (int file = 3; file < FILES_MAX; file++)
		if (file != kept && !child_needs(file))
			close(file);
}

static void obey(int daemon, const struct order *order)
{
	static struct held_child held = {.gate = -1};
	struct answer_to_hold answer = {.number = order->number};
	int error;

	switch (order->kind) {
	case HOLD:
		error = spawn_held(&held, program_arguments(&programs[order->program], order->scale), prepare,
				   SPAWN_SIBLING);
		answer.pid = error ? error : held.pid;
		if (error)
			held.gate = -1;
		if (send(daemon, &answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer))
			_exit(1);
		break;
	case RELEASE:
		spawn_release(&held);
		break;
	case CANCEL:
		if (held.gate >= 0)
			spawn_cancel(&held);
		break;
	case SIGNAL:
		if (order->pid > 1)
			kill(-order->pid, order->signal);
	}
	if (order->kind == RELEASE || order->kind == CANCEL)
		held.gate = -1;
}

static _Noreturn void be_helper(int daemon)
{
	struct order order;

	close_all_but(daemon);
	if (programs_user)
		privileges_split(own_user, programs_user);
	else
		privileges_drop(own_user);
	for (;;) {
		ssize_t got = recv(daemon, &order, sizeof(order), 0);

		if (got == sizeof(order))
			obey(daemon, &order);
		else if (got >= 0 || errno != EINTR)
			_exit(0);	/* the daemon has ended */
	}
}

/* ---------------------------------------------------------------------------------------------- in the daemon */

void starter_begin(const struct identity *daemon, const struct identity *programs)
{
	int ends[2];
	pid_t pid = -1;

	own_user = daemon;
	programs_user = programs;
	if (!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		pid = fork();
	if (pid < 0)
		die(1, "use a kernel with CONFIG_UNIX, or end other programs",
			"cannot create the process that starts programs: %s", strerror(errno));
	if (!pid)
		be_helper(ends[1]);
	close(ends[1]);
	helper = ends[0];
}

static void send_order(const struct order *order)
{
	if (send(helper, order, sizeof(*order), MSG_NOSIGNAL) != sizeof(*order))
		log_info("the process that starts programs is gone: %s", strerror(errno));
}

pid_t starter_hold(uint32_t program, uint32_t scale)
{
	struct answer_to_hold answer;
	struct pollfd ready = {.fd = helper, .events = POLLIN};

	send_order(&(struct order){.kind = HOLD, .number = ++holds, .program = program, .scale = scale});
	do {
		if (poll(&ready, 1, KILL_AFTER_MS) <= 0) {
			starter_cancel();	/* in order: it comes after the late start */
			return -ETIMEDOUT;
		}
		if (recv(helper, &answer, sizeof(answer), 0) != sizeof(answer))
			return -EPIPE;
	} while (answer.number != holds);	/* those of holds given up */
	return answer.pid;
}

void starter_release(void)
{
	send_order(&(struct order){.kind = RELEASE});
}

void starter_cancel(void)
{
	send_order(&(struct order){.kind = CANCEL});
}

void starter_signal(pid_t program, int signal)
{
	send_order(&(struct order){.kind = SIGNAL, .pid = program, .signal = signal});
}
