/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text files of sysfs and cgroups. They are opened while the daemon has permission, and later read and written at
 * offset 0: each read returns the present text, each write is one command.
 */
#ifndef LITEMRCD_SYSFS_H
#define LITEMRCD_SYSFS_H

#include <stddef.h>
#include <stdint.h>

/* Reads the text and terminates it with a zero. Returns its length, or -errno; -EFBIG: longer than the buffer. */
int sysfs_read(int file, char *text, size_t size);

/* Writes one command. Returns 0 or -errno. */
int sysfs_write(int file, const char *text);

/* A file with one number. -EPROTO: its text is none, or beyond 32 bits. */
int sysfs_number(int file, uint32_t *number);
int sysfs_write_number(int file, uint32_t number);

/*
 * Writes the texts that differ from those of the files, the last one first; if one is refused, those before stay. At
 * most SYSFS_SET files, texts without a newline. Returns 0 or -errno.
 */
#define SYSFS_SET 16
#define SYSFS_TEXT 32
int sysfs_set(const int *files, const char (*texts)[SYSFS_TEXT], unsigned int count);
int sysfs_set_numbers(const int *files, const uint32_t *numbers, unsigned int count);

/* As above, for a file that is opened only for this call. */
int sysfs_read_at(int folder, const char *name, char *text, size_t size);
int sysfs_write_at(int folder, const char *name, const char *text);

#endif
