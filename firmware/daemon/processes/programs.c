// SPDX-License-Identifier: BSD-2-Clause
#include "processes/programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "processes/listed.h"
#include "system/log.h"

#define SCALE "{scale}"
#define EXPANDED (512 + PROGRAM_WORDS * 10)	/* in each word ten digits may replace 7 letters */
#define A_PROGRAM "write: NAME = /PATH/OF/PROGRAM WORD \"SOME WORDS\" {scale}"
#define GOVERN "[govern]"
#define A_CGROUP "write: [govern] = /PATH/OF/CGROUP"

struct program programs[PROGRAMS_MAX];
uint32_t program_count;

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* Returns an error text, or NULL. */
static const char *read_name(struct program *program, const char **at)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t length = strspn(*at, letters);

	if (!length)
		return "a name consists of letters, digits, _ and -";
	if (length >= sizeof(program->name))
		return "the name is longer than 16 characters";
	memcpy(program->name, *at, length);
	program->name[length] = 0;
	for (uint32_t i = 0; i < program_count; i++)
		if (!strcmp(programs[i].name, program->name))
			return "a program above has this name";
	*at = skip_blanks(*at + length);
	program->children = !strncmp(*at, "[children]", 10);
	if (program->children)
		*at = skip_blanks(*at + 10);
	if (**at != '=')
		return "no = after the name";
	(*at)++;
	return NULL;
}

/* Copies a word and moves *at past it. */
static const char *read_word(const char **at, char **to)
{
	bool quoted = false;
	const char *scale = NULL;

	for (; **at && (quoted || !strchr(" \t", **at)); (*at)++) {
		if (**at == '"')
			quoted = !quoted;
		else
			*(*to)++ = **at;
		if (!strncmp(*at, SCALE, strlen(SCALE))) {
			if (scale)
				return "a word may contain {scale} once";
			scale = *at;
		}
	}
	*(*to)++ = 0;
	return quoted ? "a quotation mark is missing" : NULL;
}

static const char *read_words(struct program *program, const char *at)
{
	char *to = program->text;
	int count = 0;

	while (*(at = skip_blanks(at))) {
		const char *wrong;

		if (count == PROGRAM_WORDS)
			return "there are more than 16 words";
		program->words[count++] = to;
		wrong = read_word(&at, &to);
		if (wrong)
			return wrong;
	}
	program->words[count] = NULL;
	if (!count || program->words[0][0] != '/')
		return "the program must be a path that begins with /";
	return access(program->words[0], X_OK) ? "the program does not exist or cannot be run" : NULL;
}

static const char *read_program(const char *at)
{
	struct program *program = &programs[program_count];
	const char *wrong;

	if (program_count == PROGRAMS_MAX)
		return "there are more than 8 programs";
	wrong = read_name(program, &at);
	if (!wrong)
		wrong = read_words(program, at);
	if (!wrong)
		program_count++;
	return wrong;
}

/* The rest of a line that begins with [govern]. */
static const char *read_cgroup(const char *at)
{
	char path[LISTED_LONGEST + 2];
	size_t length;

	at = skip_blanks(at);
	if (*at != '=')
		return "no = after [govern]";
	at = skip_blanks(at + 1);
	length = strlen(at);
	while (length && strchr(" \t", at[length - 1]))
		length--;
	/* A longer path is refused as such. */
	snprintf(path, sizeof(path), "%.*s", (int)length, at);
	return listed_add(path);
}

void programs_read(const char *path)
{
	char line[sizeof(programs[0].text)];
	unsigned int number = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		die(EXIT_BAD_INPUT, "name the list of programs with --config", "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		size_t length = strcspn(line, "\n");
		const char *at = skip_blanks(line), *wrong = NULL;
		bool cgroup = !strncmp(at, GOVERN, strlen(GOVERN));

		number++;
		if (line[length] != '\n' && !feof(file))
			wrong = "the line is longer than 510 characters, or contains a zero byte";
		line[length] = 0;
		if (!wrong && *at && *at != '#')
			wrong = cgroup ? read_cgroup(at + strlen(GOVERN)) : read_program(at);
		if (wrong)
			die(EXIT_BAD_INPUT, cgroup ? A_CGROUP : A_PROGRAM, "%s:%u: %s", path, number, wrong);
	}
	fclose(file);
}

char *const *program_arguments(const struct program *program, uint32_t scale)
{
	static char expanded[EXPANDED];
	static char *words[PROGRAM_WORDS + 1];
	char *to = expanded;
	int i;

	for (i = 0; program->words[i]; i++) {
		const char *word = program->words[i], *place = strstr(word, SCALE);
		size_t left = sizeof(expanded) - (to - expanded);

		words[i] = to;
		if (place)
			to += snprintf(to, left, "%.*s%u%s", (int)(place - word), word, (unsigned int)scale,
				       place + strlen(SCALE)) + 1;
		else
			to += snprintf(to, left, "%s", word) + 1;
	}
	words[i] = NULL;
	return words;
}
