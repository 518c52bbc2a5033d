// SPDX-License-Identifier: BSD-2-Clause
/*
 * Linked into the daemon under test: makes plain files and folders behave like those of sysfs and cgroups.
 *
 * An order (a write at offset 0) replaces a file's text. If there is a file of the same name with ".error" appended, the
 * order fails with the errno in it and changes nothing; with ".slow", it takes that many milliseconds. A new folder gets the files of a cgroup, and can be removed with
 * them. A context ordered to follow does so immediately; fake_driver.py does the rest of the driver's work. Every
 * order is logged as a line "PATH ERRNO TEXT" in the file named by the environment variable STANDIN_LOG. An image of an epoch
 * that is empty reads as ENODATA; an order to hot/queue_first has the frames before that number leave hot/queue.
 *
 * STANDIN_SWAP=PATH:VICTIM plays the owner of the socket's folder: before each call that changes an owner or a mode, PATH, if it is
 * there, becomes a link to VICTIM.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t __real_pwrite(int file, const void *text, size_t length, off_t at);
ssize_t __real_pread(int file, void *data, size_t length, off_t at);
int __real_mkdirat(int folder, const char *path, mode_t mode);
int __real_unlinkat(int folder, const char *path, int flags);
int __real_lchown(const char *path, uid_t user, gid_t group);
int __real_chmod(const char *path, mode_t mode);
int __real_fchownat(int folder, const char *path, uid_t user, gid_t group, int flags);
int __real_fchmodat(int folder, const char *path, mode_t mode, int flags);

static const char *const group_files[][2] = {
	{"cgroup.procs", ""},      {"cgroup.events", "populated 0\nfrozen 0\n"}, {"cgroup.kill", ""},
	{"memory.high", "max\n"}, {"memory.current", "40960\n"},                {"memory.reclaim", ""},
	{"memory.low", "0\n"},
};
#define GROUP_FILES (sizeof(group_files) / sizeof(group_files[0]))

static int orders = -1;

__attribute__((constructor)) static void open_log(void)
{
	const char *path = getenv("STANDIN_LOG");

	if (path)
		orders = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

/* The number in the file with `end` appended to its name; 0: there is none. */
static int number_beside(const char *path, const char *end)
{
	char name[4200], text[16] = "";
	int file;

	snprintf(name, sizeof(name), "%s%s", path, end);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	if (read(file, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(file);
	return atoi(text);
}

static void replace(const char *folder, int length, const char *name, const char *text)
{
	char path[4200];
	int file;

	snprintf(path, sizeof(path), "%.*s/%s", length, folder, name);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0 || write(file, text, strlen(text)) < 0 || ftruncate(file, strlen(text)))
		abort();
	close(file);
}

/* What an order changes in the context's other files: at once, as newer orders must find it. */
static void follow(const char *path, const char *text)
{
	const char *name = strrchr(path, '/') + 1;
	int by_cgroup = !strcmp(name, "cgroup"), folder = name - 1 - path;

	if (!strstr(path, "/contexts/") || (strcmp(name, "pid") && !by_cgroup))
		return;
	replace(path, folder, "state", atoi(text) || text[0] == '/' ? "following\n" : "free\n");
	if (by_cgroup)
		replace(path, folder, "pid", "0\n");
	else
		replace(path, folder, "cgroup", "\n");
}

/* Returns the path of an open file, until the next call. */
static const char *path_of(int file)
{
	static char path[4096];
	char link[64];
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	got = readlink(link, path, sizeof(path) - 1);
	path[got < 0 ? 0 : got] = 0;
	return path;
}

static int ends_in(const char *path, const char *end)
{
	return strlen(path) >= strlen(end) && !strcmp(path + strlen(path) - strlen(end), end);
}

/* fake_pages.py changes the queue and its first number under the same lock. */
static ssize_t read_queue(const char *path, void *data, size_t length)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (file < 0 || flock(file, LOCK_SH))
		abort();
	got = __real_pread(file, data, length, 0);
	close(file);
	return got;
}

/* The frames before a number leave the queue, which has one a line. */
static ssize_t acknowledge(const char *first_path, const char *order, size_t length)
{
	static char text[4097], path[4200], number[16];
	int first_file = open(first_path, O_RDWR | O_CLOEXEC), file, bytes;
	unsigned int first, next = strtoul(order, NULL, 10);
	char *at = text;
	ssize_t got;

	snprintf(path, sizeof(path), "%.*s", (int)(strlen(first_path) - strlen("_first")), first_path);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (first_file < 0 || file < 0 || flock(file, LOCK_EX) ||
	    __real_pread(first_file, number, sizeof(number) - 1, 0) < 0)
		abort();
	got = __real_pread(file, text, sizeof(text) - 1, 0);
	text[got < 0 ? 0 : got] = 0;
	for (first = strtoul(number, NULL, 10); first != next && *at; first++)
		at = strchr(at, '\n') + 1;
	if (first == next) {
		bytes = strlen(at);
		if (__real_pwrite(file, at, bytes, 0) != bytes || ftruncate(file, bytes))
			abort();
		bytes = snprintf(number, sizeof(number), "%u\n", next);
		if (__real_pwrite(first_file, number, bytes, 0) != bytes || ftruncate(first_file, bytes))
			abort();
	}
	close(first_file);
	close(file);
	if (first == next)
		return length;
	errno = EINVAL;
	return -1;
}

ssize_t __wrap_pread(int file, void *data, size_t length, off_t at)
{
	const char *path = path_of(file);
	ssize_t got;

	if (ends_in(path, "/hot/queue"))
		return read_queue(path, data, length);
	got = __real_pread(file, data, length, at);
	if (!got && !at && (ends_in(path, "/bitmap") || ends_in(path, "/hot/list"))) {
		errno = ENODATA;
		return -1;
	}
	return got;
}

ssize_t __wrap_pwrite(int file, const void *text, size_t length, off_t at)
{
	char line[4400];
	const char *path = path_of(file);
	int error, count;

	if (ends_in(path, "/hot/queue_first"))
		return acknowledge(path, text, length);
	error = number_beside(path, ".error");
	usleep(1000 * number_beside(path, ".slow"));
	count = snprintf(line, sizeof(line), "%s %d %.*s", path, error, (int)length, (const char *)text);
	if (orders >= 0 && write(orders, line, count) != count)
		abort();
	if (error) {
		errno = error;
		return -1;
	}
	if (ftruncate(file, 0))
		abort();
	follow(path, text);
	return __real_pwrite(file, text, length, at);
}

int __wrap_mkdirat(int folder, const char *path, mode_t mode)
{
	char name[256];

	if (__real_mkdirat(folder, path, mode))
		return -1;
	for (size_t i = 0; i < GROUP_FILES; i++) {
		int file;
		size_t length = strlen(group_files[i][1]);

		snprintf(name, sizeof(name), "%s/%s", path, group_files[i][0]);
		file = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (file < 0 || write(file, group_files[i][1], length) != (ssize_t)length)
			abort();
		close(file);
	}
	return 0;
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
	char name[256];

	for (size_t i = 0; flags & AT_REMOVEDIR && i < GROUP_FILES; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, group_files[i][0]);
		__real_unlinkat(folder, name, 0);
	}
	return __real_unlinkat(folder, path, flags);
}

static void swap(void)
{
	char path[4096];
	const char *order = getenv("STANDIN_SWAP"), *victim = order ? strchr(order, ':') : NULL;
	struct stat found;

	if (!victim)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)(victim - order), order);
	if (lstat(path, &found))
		return;
	if (unlink(path) || symlink(victim + 1, path))
		abort();
}

int __wrap_lchown(const char *path, uid_t user, gid_t group)
{
	swap();
	return __real_lchown(path, user, group);
}

int __wrap_chmod(const char *path, mode_t mode)
{
	swap();
	return __real_chmod(path, mode);
}

int __wrap_fchownat(int folder, const char *path, uid_t user, gid_t group, int flags)
{
	swap();
	return __real_fchownat(folder, path, user, group, flags);
}

int __wrap_fchmodat(int folder, const char *path, mode_t mode, int flags)
{
	swap();
	return __real_fchmodat(folder, path, mode, flags);
}
