// SPDX-License-Identifier: BSD-2-Clause
/* What an ordinary user may try, and pages that nobody may read. */
#include "agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define PROCESSES 64

/* user UID: this agent is of that user from now on */
static long become_user(int count, char **words)
{
	int id = atoi(words[1]);

	(void)count;
	return setgid(id) || setuid(id) ? -errno : 0;
}

static void list_readable(const char *path)
{
	struct dirent *entry;
	struct stat status;
	char below[4096];
	DIR *folder = opendir(path);
	int fd;

	while (folder && (entry = readdir(folder))) {
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || lstat(below, &status))
			continue;
		if (S_ISDIR(status.st_mode))
			list_readable(below);
		if (!S_ISREG(status.st_mode) || !strstr(below, "litemrc"))
			continue;
		fd = open(below, O_RDONLY);
		if (fd < 0)
			continue;
		say("%s", below);
		close(fd);
	}
	if (folder)
		closedir(folder);
}

/* readable FOLDER: files of litemrc below it that this user may open, without following links */
static long show_readable(int count, char **words)
{
	(void)count;
	list_readable(words[1]);
	return 0;
}

static char *guarded;

/* guard: a page with data, then without permissions; unguard: with its permissions again; its first byte */
static long guard(int count, char **words)
{
	(void)count;
	if (words[0][0] == 'u')
		return mprotect(guarded, PAGE, PROT_READ | PROT_WRITE) ? -errno : guarded[0];
	guarded = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded == MAP_FAILED)
		return -errno;
	strcpy(guarded, "secret");
	return mprotect(guarded, PAGE, PROT_NONE) ? -errno : 0;
}

/* leak: has the kernel read the guarded page; returns the bytes that it got out */
static long leak(int count, char **words)
{
	long ret;
	int ends[2];

	(void)count;
	(void)words;
	if (pipe(ends))
		return -errno;
	ret = write(ends[1], guarded, 6);
	ret = ret < 0 ? -errno : ret;
	close(ends[0]);
	close(ends[1]);
	return ret;
}

static pid_t togglers[PROCESSES];

/* toggle PROCESSES PAGES: each takes and gives back the permissions of its pages, until untoggle */
static long toggle(int count, char **words)
{
	int processes = atoi(words[1]);
	size_t bytes = strtoul(words[2], NULL, 0) * PAGE;

	(void)count;
	for (int i = 0; i < processes && i < PROCESSES; i++) {
		char *area;

		togglers[i] = fork();
		if (togglers[i] < 0)
			return -errno;
		if (togglers[i])
			continue;
		area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(area, 1, bytes);
		while (!mprotect(area, bytes, PROT_NONE) && !mprotect(area, bytes, PROT_READ | PROT_WRITE))
			;
		_exit(1);
	}
	return 0;
}

static long untoggle(int count, char **words)
{
	(void)count;
	(void)words;
	for (int i = 0; i < PROCESSES; i++)
		if (togglers[i] > 0 && !kill(togglers[i], SIGKILL))
			waitpid(togglers[i], NULL, 0);
	return 0;
}

/*
 * relay TIMES: a process forks the next one and ends, so that none is there for long: its inherited pages are its
 * child's. This agent reaps them, and none of its other children from then on.
 */
static long relay(int count, char **words)
{
	static char page[PAGE];

	(void)count;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN);
	if (fork())
		return 0;
	for (long times = atol(words[1]); times--; page[0]++)
		if (fork())
			_exit(0);
	_exit(0);
}

/* relayed: waits for the end of the last one; who loses this agent before leaves a zombie to init for each */
static long relayed(int count, char **words)
{
	(void)count;
	(void)words;
	while (waitpid(-1, NULL, 0) > 0)
		;
	return errno == ECHILD ? 0 : -errno;
}

const struct command attack_commands[] = {
	{ "user", become_user }, { "readable", show_readable }, { "guard", guard }, { "unguard", guard },
	{ "leak", leak }, { "toggle", toggle }, { "untoggle", untoggle }, { "relay", relay },
	{ "relayed", relayed }, { NULL, NULL },
};
