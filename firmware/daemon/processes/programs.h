/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs that a host may have run: lines of litemrcd.conf,
 *
 *	NAME [children] = /PATH/OF/PROGRAM WORD "SOME WORDS" {scale}
 *
 * where {scale} becomes the host's number, and with `[children]` its child processes are followed too.
 */
#ifndef LITEMRCD_PROGRAMS_H
#define LITEMRCD_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAMS_MAX 8
#define PROGRAM_WORDS 16

struct program {
	char name[17];
	bool children;
	char text[512];			/* the words, a zero behind each */
	const char *words[PROGRAM_WORDS + 1];	/* NULL behind the last */
};

extern struct program programs[PROGRAMS_MAX];
extern uint32_t program_count;

/* Reads the file; gives up with its line at the first error. */
void programs_read(const char *path);

/* Returns the words with {scale} filled in, valid until the next call; NULL behind the last. */
char *const *program_arguments(const struct program *program, uint32_t scale);

#endif
