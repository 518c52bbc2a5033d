/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs that a host may start: lines of litemrcd.conf,
 *
 *	NAME [children] = /PATH/OF/PROGRAM WORD "SOME WORDS" {scale}
 *
 * {scale} is replaced by the host's number. With `[children]` the context follows child processes, too.
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
	char text[512];			/* the words, each terminated by a zero */
	const char *words[PROGRAM_WORDS + 1];	/* terminated by NULL */
};

extern struct program programs[PROGRAMS_MAX];
extern uint32_t program_count;

/* Reads the file; at the first error it reports the line and exits. */
void programs_read(const char *path);

/* Returns the words with {scale} replaced, terminated by NULL; valid until the next call. */
char *const *program_arguments(const struct program *program, uint32_t scale);

#endif
