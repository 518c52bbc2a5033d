/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text files of sysfs and cgroups. They are opened while the daemon has permission, and later read and written at
 * offset 0: each read returns the present text, each write is one command.
 */
#ifndef LITEMRCD_SYSFS_H
#define LITEMRCD_SYSFS_H

#include <stddef.h>

/* Reads the text and terminates it with a zero. Returns its length, or -errno; -EFBIG: longer than the buffer. */
int sysfs_read(int file, char *text, size_t size);

/* Writes one command. Returns 0 or -errno. */
int sysfs_write(int file, const char *text);

/* As above, for a file that is opened only for this call. */
int sysfs_read_at(int folder, const char *name, char *text, size_t size);
int sysfs_write_at(int folder, const char *name, const char *text);

#endif
