// SPDX-License-Identifier: BSD-2-Clause
#include "run_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/contexts.h"
#include "driver/driver.h"
#include "processes/spawn.h"
#include "system/log.h"

#define FREE_ONE "end one of these processes, or free its context: echo 0 >contexts/N/pid in the device's folder in sysfs"

static sigset_t mask_of_caller;
static void (*sigchld_of_caller)(int);

/* In the child: signals as the caller left them. */
static void prepare(void)
{
	signal(SIGCHLD, sigchld_of_caller);
	sigprocmask(SIG_SETMASK, &mask_of_caller, NULL);
}

static int open_contexts(const char *sysfs, const char *device)
{
	int monitor = driver_folder(sysfs, device);
	int contexts = openat(monitor, "contexts", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (contexts < 0)
		die(EXIT_BAD_INPUT, "use driver and daemon of the same version", "%s has no contexts in sysfs: %s",
			device, strerror(errno));
	close(monitor);
	return contexts;
}

static void open_context(struct context_files *files, int contexts, unsigned int number)
{
	int error = context_files_open(files, contexts, number);

	if (error == -ENOENT)
		die(EXIT_BAD_INPUT, "name a context of the monitor, or leave out --context",
			"there is no context %u", number);
	if (error)
		die(EXIT_BAD_INPUT, "run it as a user with write permission", "contexts/%u: %s", number,
			strerror(-error));
}

/* Returns whether the context follows the child now; false: it is in use. Exits at any other error. */
static bool try_context(const struct context_files *files, struct held_child *child, unsigned int number)
{
	int error = context_files_follow(files, child->pid);

	if (!error || error == -EBUSY)
		return !error;
	spawn_cancel(child);
	die(EXIT_BAD_INPUT, "look into the kernel log (dmesg)", "contexts/%u/pid: %s", number,
		strerror(-error));
}

/*
 * Makes the first context in `state` follow the child; returns its number, or 0. Callers try free contexts before those
 * of ended processes, so that the counters of these stay readable longer.
 */
static unsigned int take_first(struct context_files *files, int contexts, struct held_child *child, uint32_t state)
{
	struct litemrc_row now;

	for (unsigned int number = 1; !context_files_open(files, contexts, number); number++) {
		if (!context_files_read(files, &now) && now.state == state && try_context(files, child, number))
			return number;
		context_files_close(files);
	}
	return 0;
}

static void take_any(struct context_files *files, int contexts, struct held_child *child)
{
	/* If no context can be opened at all, this reports the file. */
	open_context(files, contexts, 1);
	context_files_close(files);
	if (take_first(files, contexts, child, LITEMRC_CONTEXT_FREE) ||
	    take_first(files, contexts, child, LITEMRC_CONTEXT_ENDED))
		return;
	spawn_cancel(child);
	die(EXIT_BAD_INPUT, FREE_ONE, "all contexts follow processes");
}

static void take_named(struct context_files *files, int contexts, struct held_child *child, unsigned int number)
{
	open_context(files, contexts, number);
	if (try_context(files, child, number))
		return;
	spawn_cancel(child);
	die(EXIT_BAD_INPUT, FREE_ONE, "context %u follows another process", number);
}

/*
 * Waits until the child ends, and forwards signals from other processes; the terminal's signals reach the child
 * directly. If the child stops, this process stops, too, so that the shell notices.
 */
static int wait_for(pid_t child, const sigset_t *signals)
{
	siginfo_t info;
	int status;

	for (;;) {
		if (sigwaitinfo(signals, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD) {
			if (info.si_code <= 0)
				kill(child, info.si_signo);
			continue;
		}
		while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
			if (!WIFSTOPPED(status))
				return status;
			raise(SIGSTOP);
			kill(child, SIGCONT);
		}
	}
}

/* Frees the context, unless it follows another process by now. */
static void leave(const struct context_files *files, pid_t child)
{
	struct litemrc_row now;

	if (!context_files_read(files, &now) && now.pid == (uint32_t)child)
		context_files_follow(files, 0);
}

static int pass_on(int status)
{
	const struct rlimit no_core = {0, 0};

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Ends by the same signal, without a core dump of this program. */
	setrlimit(RLIMIT_CORE, &no_core);
	signal(WTERMSIG(status), SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_of_caller, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

int run_command(const struct options *options)
{
	int contexts = open_contexts(options->sysfs, options->device);
	struct context_files files;
	struct held_child child;
	sigset_t all;
	int error, status;

	sigfillset(&all);
	sigdelset(&all, SIGTSTP);
	sigdelset(&all, SIGTTIN);
	sigdelset(&all, SIGTTOU);
	sigprocmask(SIG_SETMASK, &all, &mask_of_caller);
	/* An ignored SIGCHLD is not delivered, and the kernel discards the status of the child. */
	sigchld_of_caller = signal(SIGCHLD, SIG_DFL);
	error = spawn_held(&child, options->command, prepare, SPAWN_CHILD);
	if (error)
		die(EXIT_BAD_INPUT, "end other programs", "cannot create a process: %s", strerror(-error));
	if (options->context)
		take_named(&files, contexts, &child, options->context);
	else
		take_any(&files, contexts, &child);
	spawn_release(&child);
	status = wait_for(child.pid, &all);
	leave(&files, child.pid);
	return pass_on(status);
}
