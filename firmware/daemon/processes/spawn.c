// SPDX-License-Identifier: BSD-2-Clause
#include "processes/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/log.h"

#define NOT_RUN 126
#define NOT_FOUND 127

/* Waits for a byte; returns false at the end of the pipe. */
static bool wait_byte(int file)
{
	char byte;
	ssize_t got;

	do
		got = read(file, &byte, 1);
	while (got < 0 && errno == EINTR);
	return got == 1;
}

/* Sets the process name early: the driver reads it when the context follows the process. */
static void take_name(const char *path)
{
	const char *name = strrchr(path, '/');

	prctl(PR_SET_NAME, name ? name + 1 : path, 0, 0, 0);
}

static _Noreturn void wait_and_run(int gate, int ready, char *const *arguments, void (*prepare)(void))
{
	prepare();
	take_name(arguments[0]);
	if (write(ready, "", 1) == 1 && wait_byte(gate)) {
		int error;

		execvp(arguments[0], arguments);
		error = errno;
		log_info("%s: %s", arguments[0], strerror(error));
		_exit(error == ENOENT ? NOT_FOUND : NOT_RUN);
	}
	_exit(NOT_RUN);
}

/* As fork(), which has no flags. */
static pid_t fork_as(enum spawn_as as)
{
	return syscall(SYS_clone, SIGCHLD | (as == SPAWN_SIBLING ? CLONE_PARENT : 0), 0, 0, 0, 0);
}

int spawn_held(struct held_child *child, char *const *arguments, void (*prepare)(void), enum spawn_as as)
{
	int gate[2], ready[2], error = 0;

	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(ready, O_CLOEXEC)) {
		error = errno;
		close(gate[0]);
		close(gate[1]);
		return -error;
	}
	child->pid = fork_as(as);
	if (!child->pid) {
		close(gate[1]);
		close(ready[0]);
		wait_and_run(gate[0], ready[1], arguments, prepare);
	}
	if (child->pid < 0)
		error = errno;
	close(gate[0]);
	close(ready[1]);
	if (!error)
		wait_byte(ready[0]);	/* the death of the child is handled elsewhere */
	close(ready[0]);
	if (error)
		close(gate[1]);
	child->gate = gate[1];
	return -error;
}

void spawn_release(struct held_child *child)
{
	/* Fails only if the child died, which is handled elsewhere. */
	if (write(child->gate, "", 1) != 1)
		log_info("process %d ended before it was released", (int)child->pid);
	close(child->gate);
}

void spawn_cancel(struct held_child *child)
{
	close(child->gate);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
