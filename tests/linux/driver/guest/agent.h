/* SPDX-License-Identifier: BSD-2-Clause */
/* The program in the guest that performs a test's commands; see agent.c. */
#ifndef AGENT_H
#define AGENT_H

#include <stdio.h>

/* Adds a line to a command's answer. The command returns its result as a system call does: 0 or a count, or
 * minus an errno. */
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
extern const struct command stack_commands[];
extern const struct command file_cache_commands[];
extern const struct command fuzz_commands[];
extern const struct command perf_commands[];
extern const struct command attack_commands[];
extern const struct command pagemap_commands[];

/* Returns the mapping of the command `map`. */
const char *mapping(size_t *bytes);

/* Returns the line after its first `count` words, verbatim. */
const char *rest_of_line(int count);

/* Performs the commands until the end of file. */
int serve(FILE *commands, FILE *answers);

#endif
