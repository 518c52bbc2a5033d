/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text files of sysfs and cgroups. They are opened early, with the permissions of then, and read and written later at
 * offset 0: each read makes the text anew, each write is one order.
 */
#ifndef LITEMRCD_SYSFS_H
#define LITEMRCD_SYSFS_H

#include <stddef.h>

/* Reads the file's text and ends it by a zero. Returns its length, or -errno (-EFBIG: longer than the buffer). */
int sysfs_read(int file, char *text, size_t size);

/* Writes one order. Returns 0 or -errno. */
int sysfs_write(int file, const char *text);

/* Both for a file that is opened for this alone. */
int sysfs_read_at(int folder, const char *name, char *text, size_t size);
int sysfs_write_at(int folder, const char *name, const char *text);

#endif
