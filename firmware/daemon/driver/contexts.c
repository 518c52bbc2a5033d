// SPDX-License-Identifier: BSD-2-Clause
#include "driver/contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "system/sysfs.h"
#include "system/text.h"

static int open_one(int contexts, unsigned int number, const char *name, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "%u/%s", number, name);
	return openat(contexts, path, flags | O_CLOEXEC);
}

int context_files_open(struct context_files *files, int contexts, unsigned int number)
{
	int error;

	files->state = open_one(contexts, number, "state", O_RDONLY);
	files->comm = open_one(contexts, number, "comm", O_RDONLY);
	/* Context 0 is the kernel's; its files are read-only. */
	files->cgroup = open_one(contexts, number, "cgroup", number ? O_RDWR : O_RDONLY);
	files->pid = open_one(contexts, number, "pid", number ? O_RDWR : O_RDONLY);
	if (files->state >= 0 && files->comm >= 0 && files->cgroup >= 0 && files->pid >= 0)
		return 0;
	error = errno;
	context_files_close(files);
	return -error;
}

void context_files_close(struct context_files *files)
{
	int *const all[] = {&files->state, &files->pid, &files->cgroup, &files->comm};

	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static int state_of(const char *text)
{
	static const char *const names[] = {
		[LITEMRC_CONTEXT_FREE] = "free",
		[LITEMRC_CONTEXT_FOLLOWING] = "following",
		[LITEMRC_CONTEXT_ENDED] = "ended",
	};

	for (int state = LITEMRC_CONTEXT_FREE; state <= LITEMRC_CONTEXT_ENDED; state++) {
		size_t length = strlen(names[state]);

		if (!strncmp(text, names[state], length) && (!text[length] || text[length] == '\n'))
			return state;
	}
	return -EPROTO;
}

int context_files_read(const struct context_files *files, struct litemrc_row *followed)
{
	char text[300];	/* a cgroup's name may be long */
	uint64_t pid;
	size_t length;
	int got;

	memset(followed, 0, sizeof(*followed));
	got = sysfs_read(files->state, text, sizeof(text));
	if (got < 0)
		return got;
	got = state_of(text);
	if (got < 0)
		return got;
	followed->state = got;
	got = sysfs_read(files->pid, text, sizeof(text));
	if (got < 0)
		return got;
	if (!whole_number(text, INT32_MAX, &pid))
		return -EPROTO;
	followed->pid = pid;
	got = sysfs_read(files->comm, text, sizeof(text));
	if (got < 0)
		return got;
	length = strcspn(text, "\n");
	memcpy(followed->comm, text, length < sizeof(followed->comm) ? length : sizeof(followed->comm));
	return 0;
}

int context_files_cgroup(const struct context_files *files, char *path, size_t size)
{
	int got = sysfs_read(files->cgroup, path, size);

	if (got < 0)
		return got;
	path[strcspn(path, "\n")] = 0;
	return 0;
}

int context_files_follow(const struct context_files *files, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", (int)pid);
	return sysfs_write(files->pid, text);
}

int context_files_follow_cgroup(const struct context_files *files, const char *path)
{
	char text[512];

	if ((size_t)snprintf(text, sizeof(text), "%s\n", path) >= sizeof(text))
		return -ENAMETOOLONG;
	return sysfs_write(files->cgroup, text);
}
