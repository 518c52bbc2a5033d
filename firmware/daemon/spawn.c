// SPDX-License-Identifier: BSD-2-Clause
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#define NOT_RUN 126
#define NOT_FOUND 127

static _Noreturn void wait_and_run(int gate, char *const *arguments, void (*prepare)(void))
{
	char go;
	ssize_t got;

	prepare();
	do
		got = read(gate, &go, 1);
	while (got < 0 && errno == EINTR);
	if (got == 1) {
		int error;

		execvp(arguments[0], arguments);
		error = errno;
		say("%s: %s", arguments[0], strerror(error));
		_exit(error == ENOENT ? NOT_FOUND : NOT_RUN);
	}
	_exit(NOT_RUN);
}

int spawn_held(struct held_child *child, char *const *arguments, void (*prepare)(void))
{
	int gate[2];

	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	child->pid = fork();
	if (!child->pid) {
		close(gate[1]);
		wait_and_run(gate[0], arguments, prepare);
	}
	close(gate[0]);
	if (child->pid < 0) {
		int error = errno;

		close(gate[1]);
		return -error;
	}
	child->gate = gate[1];
	return 0;
}

void spawn_release(struct held_child *child)
{
	/* Cannot fail but by the child's death, which is seen elsewhere. */
	if (write(child->gate, "", 1) != 1)
		say("process %d ended before it began", (int)child->pid);
	close(child->gate);
}

void spawn_cancel(struct held_child *child)
{
	close(child->gate);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
