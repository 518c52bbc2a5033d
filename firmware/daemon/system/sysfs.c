// SPDX-License-Identifier: BSD-2-Clause
#include "system/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "system/text.h"

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

int sysfs_number(int file, uint32_t *number)
{
	char text[16];
	uint64_t value;
	int got = sysfs_read(file, text, sizeof(text));

	if (got < 0)
		return got == -EFBIG ? -EPROTO : got;
	if (!whole_number(text, UINT32_MAX, &value))
		return -EPROTO;
	*number = value;
	return 0;
}

int sysfs_write_number(int file, uint32_t number)
{
	char text[SYSFS_TEXT];

	snprintf(text, sizeof(text), "%u\n", (unsigned int)number);
	return sysfs_write(file, text);
}

static int write_line(int file, const char *text)
{
	char line[SYSFS_TEXT + 1];

	snprintf(line, sizeof(line), "%s\n", text);
	return sysfs_write(file, line);
}

int sysfs_set(const int *files, const char (*texts)[SYSFS_TEXT], unsigned int count)
{
	char before[SYSFS_SET][SYSFS_TEXT];
	int error = 0, at;

	for (at = 0; at < (int)count && !error; at++) {
		error = sysfs_read(files[at], before[at], SYSFS_TEXT);
		error = error < 0 ? error : 0;
		before[at][error ? 0 : strcspn(before[at], "\n")] = 0;
	}
	if (error)
		return error;
	for (at = count; !error && at--;)
		if (strcmp(texts[at], before[at]))
			error = write_line(files[at], texts[at]);
	for (; error && at >= 0 && at < (int)count; at++)
		if (strcmp(texts[at], before[at]))
			write_line(files[at], before[at]);
	return error;
}

int sysfs_set_numbers(const int *files, const uint32_t *numbers, unsigned int count)
{
	char texts[SYSFS_SET][SYSFS_TEXT];

	for (unsigned int i = 0; i < count; i++)
		snprintf(texts[i], sizeof(texts[i]), "%u", (unsigned int)numbers[i]);
	return sysfs_set(files, texts, count);
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
