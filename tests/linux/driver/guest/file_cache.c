// SPDX-License-Identifier: BSD-2-Clause
/* Files on a disk: their pages in the page cache. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define PAGE 4096

static char page[PAGE];

/* copy FROM TO: writes a file over the first bytes of another one */
static long copy(int count, char **words)
{
	int from = open(words[1], O_RDONLY), to = open(words[2], O_WRONLY);
	ssize_t bytes;

	(void)count;
	if (from < 0 || to < 0)
		return -errno;
	while ((bytes = read(from, page, PAGE)) > 0)
		if (write(to, page, bytes) != bytes)
			return -errno;
	close(from);
	return close(to) ? -errno : 0;
}

/* mount DEVICE FOLDER TYPE, umount FOLDER */
static long mount_disk(int count, char **words)
{
	(void)count;
	return mount(words[1], words[2], words[3], 0, NULL) ? -errno : 0;
}

static long unmount(int count, char **words)
{
	(void)count;
	return umount(words[1]) ? -errno : 0;
}

/* write_pages FILE COUNT: makes a file */
static long write_pages(int count, char **words)
{
	int fd = open(words[1], O_WRONLY | O_CREAT, 0600);

	(void)count;
	for (long left = atol(words[2]); left; left--)
		if (write(fd, page, PAGE) != PAGE)
			return -errno;
	return close(fd) ? -errno : 0;
}

/* read_pages FILE FIRST LAST: from each page of the file a byte, forwards or backwards */
static long read_pages(int count, char **words)
{
	int fd = open(words[1], O_RDONLY);
	long number = atol(words[2]), last = atol(words[3]), step = number <= last ? 1 : -1;

	(void)count;
	for (;; number += step) {
		if (pread(fd, page, 1, number * PAGE) != 1)
			return -errno;
		if (number == last)
			return close(fd) ? -errno : 0;
	}
}

const struct command file_cache_commands[] = {
	{ "copy", copy },		{ "mount", mount_disk },      { "umount", unmount },
	{ "write_pages", write_pages }, { "read_pages", read_pages }, { NULL, NULL },
};
