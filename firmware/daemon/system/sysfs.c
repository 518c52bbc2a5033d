// SPDX-License-Identifier: BSD-2-Clause
#include "system/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int sysfs_read(int file, char *text, size_t size)
{
	ssize_t length;

	if (file < 0)
		return -ENODEV;
	do
		length = pread(file, text, size, 0);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	if ((size_t)length == size)
		return -EFBIG;
	text[length] = 0;
	return length;
}

int sysfs_write(int file, const char *text)
{
	size_t length = strlen(text);
	ssize_t written;

	if (file < 0)
		return -ENODEV;
	do
		written = pwrite(file, text, length, 0);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		return -errno;
	return (size_t)written == length ? 0 : -EIO;
}

int sysfs_read_at(int folder, const char *name, char *text, size_t size)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int length = file < 0 ? -errno : sysfs_read(file, text, size);

	if (file >= 0)
		close(file);
	return length;
}

int sysfs_write_at(int folder, const char *name, const char *text)
{
	int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	int error = file < 0 ? -errno : sysfs_write(file, text);

	if (file >= 0)
		close(file);
	return error;
}
