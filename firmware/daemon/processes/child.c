// SPDX-License-Identifier: BSD-2-Clause
#include "processes/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "system/log.h"

static int nothing = -1;	/* /dev/null */

void child_init(void)
{
	nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nothing < 0)
		die(1, "create that device", "/dev/null: %s", strerror(errno));
}

bool child_needs(int file)
{
	return file == nothing;
}

void child_prepare(void)
{
	extern char **environ;
	static char path[] = "PATH=/bin:/sbin:/usr/bin:/usr/sbin";
	static char *environment[] = {path, NULL};
	sigset_t none;

	environ = environment;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || chdir("/"))
		_exit(126);
}
