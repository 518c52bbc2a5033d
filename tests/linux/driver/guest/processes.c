// SPDX-License-Identifier: BSD-2-Clause
/* Processes: each is an agent connected by two pipes. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN 64
#define PIDS 5000	/* a little more than exist */

static struct child {
	char name[16];
	pid_t pid;	/* 0: none */
	FILE *commands, *answers;
} children[CHILDREN];

static int own_commands = -1, own_answers = -1;	/* of this agent, to exec itself */

static struct child *find(const char *name)
{
	for (int i = 0; i < CHILDREN; i++)
		if (children[i].pid && !strcmp(children[i].name, name))
			return &children[i];
	return NULL;
}

static void forget(struct child *child)
{
	fclose(child->commands);
	fclose(child->answers);
	child->pid = 0;
}

static void become_child(const char *name, int commands, int answers)
{
	for (int i = 0; i < CHILDREN; i++)
		if (children[i].pid)
			forget(&children[i]);
	own_commands = commands;
	own_answers = answers;
	prctl(PR_SET_NAME, name);
	serve(fdopen(commands, "r"), fdopen(answers, "w"));
	_exit(0);
}

/* spawn ID [PID]: returns its pid; with PID, forks until a child has that pid */
static long spawn(int count, char **words)
{
	pid_t wanted = count > 2 ? atoi(words[2]) : 0;
	int down[2], up[2];
	struct child *child = children;

	while (child->pid)
		if (++child == children + CHILDREN)
			return -EAGAIN;
	if (pipe(down) || pipe(up))
		return -errno;
	fflush(NULL);
	for (long tries = 0; tries < PIDS; tries++) {
		child->pid = fork();
		if (!child->pid && wanted && getpid() != wanted)
			_exit(0);
		if (!wanted || child->pid <= 0 || child->pid == wanted)
			break;
		waitpid(child->pid, NULL, 0);
	}
	if (wanted && child->pid > 0 && child->pid != wanted) {
		child->pid = 0;
		return -ESRCH;
	}
	if (!child->pid) {
		close(down[1]);
		close(up[0]);
		become_child(words[1], down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	snprintf(child->name, sizeof(child->name), "%s", words[1]);
	child->commands = fdopen(down[1], "w");
	child->answers = fdopen(up[0], "r");
	return child->pid;
}

static long fetch_answer(struct child *child)
{
	char line[65536];

	while (fgets(line, sizeof(line), child->answers)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '=')
			return atol(line + 2);
		say("%s", line + 2);
	}
	return -EPIPE;
}

/* @ ID COMMAND, & ID COMMAND, ? ID */
static long pass_on(int count, char **words)
{
	struct child *child = find(words[1]);

	if (!child)
		return -ECHILD;
	if (words[0][0] != '?') {
		fprintf(child->commands, "%s\n", rest_of_line(2));
		fflush(child->commands);
	}
	(void)count;
	return words[0][0] == '&' ? 0 : fetch_answer(child);
}

/* kill ID SIGNAL */
static long kill_child(int count, char **words)
{
	struct child *child = find(words[1]);

	(void)count;
	if (!child)
		return -ECHILD;
	return kill(child->pid, atoi(words[2])) ? -errno : 0;
}

/* wait ID: waits for its end and reaps it. gone ID: the same, but leaves a zombie. */
static long wait_child(int count, char **words)
{
	struct child *child = find(words[1]);
	siginfo_t info;

	(void)count;
	if (!child)
		return -ECHILD;
	if (waitid(P_PID, child->pid, &info, WEXITED | (words[0][0] == 'g' ? WNOWAIT : 0)))
		return -errno;
	if (words[0][0] == 'w')
		forget(child);
	return 0;
}

static long leave(int count, char **words)
{
	(void)count;
	(void)words;
	_exit(0);
}

static void *idle(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* thread: starts a thread, returns its id; leader: ends the serving thread, if another one is alive */
static void *report_and_idle(void *pipe_end)
{
	pid_t tid = syscall(SYS_gettid);

	if (write((int)(long)pipe_end, &tid, sizeof(tid)) != sizeof(tid))
		abort();
	return idle(NULL);
}

static long start_thread(int count, char **words)
{
	pthread_t thread;
	pid_t tid = 0;
	int ends[2];

	(void)count;
	(void)words;
	if (pipe(ends))
		return -errno;
	if (pthread_create(&thread, NULL, report_and_idle, (void *)(long)ends[1]))
		return -EAGAIN;
	if (read(ends[0], &tid, sizeof(tid)) != sizeof(tid))
		tid = -EIO;
	close(ends[0]);
	close(ends[1]);
	return tid;
}

static long end_thread(int count, char **words)
{
	(void)count;
	(void)words;
	pthread_exit(NULL);
}

/* threaded PATH: reads a line in a thread */
static void *read_first_line(void *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");

	if (!file || !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	return text;
}

static long read_in_thread(int count, char **words)
{
	pthread_t thread;
	void *text;

	(void)count;
	if (pthread_create(&thread, NULL, read_first_line, words[1]))
		return -EAGAIN;
	pthread_join(thread, &text);
	say("%.*s", (int)strcspn(text, "\n"), (char *)text);
	return 0;
}

/* exec PATH: executes the agent under another name */
static long become(int count, char **words)
{
	char commands[12], answers[12];

	(void)count;
	snprintf(commands, sizeof(commands), "%d", own_commands);
	snprintf(answers, sizeof(answers), "%d", own_answers);
	/* The answer to this command, before the name changes. */
	dprintf(own_answers, "= 0\n");
	execl(words[1], words[1], commands, answers, NULL);
	return -errno;
}

static long own_pid(int count, char **words)
{
	(void)count;
	(void)words;
	return getpid();
}

/* churn TIMES: maps and unmaps memory, forks and reaps processes */
static long churn(int count, char **words)
{
	(void)count;
	for (long times = atol(words[1]); times--;) {
		size_t bytes = 4096 << (times % 7);
		char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
		pid_t pid;

		if (area == MAP_FAILED)
			return -errno;
		memset(area, 1, bytes);
		pid = fork();
		if (pid < 0)
			return -errno;
		memset(area, 2, bytes);
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		munmap(area, bytes);
	}
	return 0;
}

/* spin MILLISECONDS; sleep MILLISECONDS */
static long pass_time(int count, char **words)
{
	long milliseconds = atol(words[1]);
	struct timespec now, end, pause = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

	(void)count;
	if (words[0][1] == 'l')
		return nanosleep(&pause, NULL) ? -errno : 0;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += milliseconds / 1000;
	end.tv_nsec += milliseconds % 1000 * 1000000;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	return 0;
}

/* clock: CLOCK_MONOTONIC, in nanoseconds */
static long read_clock(int count, char **words)
{
	struct timespec now;

	(void)count;
	(void)words;
	clock_gettime(CLOCK_MONOTONIC, &now);
	say("%lld", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
	return 0;
}

const struct command process_commands[] = {
	{ "clock", read_clock },
	{ "spawn", spawn },	    { "@", pass_on },	    { "&", pass_on },	{ "?", pass_on },
	{ "kill", kill_child },	    { "wait", wait_child }, { "gone", wait_child }, { "exit", leave },
	{ "thread", start_thread }, { "leader", end_thread }, { "exec", become }, { "pid", own_pid },
	{ "threaded", read_in_thread }, { "churn", churn }, { "spin", pass_time },	    { "sleep", pass_time }, { NULL, NULL },
};
