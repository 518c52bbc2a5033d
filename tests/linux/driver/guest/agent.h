/* SPDX-License-Identifier: BSD-2-Clause */
/* The program in the guest that does what a test asks; see agent.c. */
#ifndef AGENT_H
#define AGENT_H

#include <stdio.h>

/* A command's answer: lines by say(), then its result; commands return what they would as a system call:
 * 0 or a count, or minus an errno. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

typedef long command_function(int count, char **words);

struct command {
	const char *name;
	command_function *perform;
};

extern const struct command file_commands[];
extern const struct command process_commands[];
extern const struct command epoch_commands[];
extern const struct command memory_commands[];
extern const struct command fuzz_commands[];

/* The line behind the first `count` words, as it was typed. */
const char *rest_of_line(int count);

/* Asks for the commands on these until the end of file. */
int serve(FILE *commands, FILE *answers);

#endif
