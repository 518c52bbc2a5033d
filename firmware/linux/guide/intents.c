// SPDX-License-Identifier: BSD-2-Clause
/* Reads a file of intents: the syntax that `litemrc intents check` accepts, Jantz et al. 2013, section 4.1. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guide.h"

#define BAD_INPUT 2
#define WORDS 4

static const struct kind {
	const char *name;
	size_t attribute;
	int highest;
} kinds[] = {
	{"MEM-INTENSITY", offsetof(struct color_intent, intensity), 1},
	{"MEM-CAPACITY", offsetof(struct color_intent, capacity_percent), 100},
	{"MEM-AFFINITY", offsetof(struct color_intent, node), 1023},
	{"MEM-RECYCLE", offsetof(struct color_intent, recycle), 1},
	{"MEM-ISOLATION", offsetof(struct color_intent, isolation), 1},
};
#define KINDS (int)(sizeof(kinds) / sizeof(*kinds))

void refuse(const char *path, int line, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, line ? "%s:%d: " : "%s: ", path, line);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(BAD_INPUT);
}

static int kind_of(const char *path, int line, const char *name)
{
	int kind = 0;

	while (kind < KINDS && strcmp(kinds[kind].name, name))
		kind++;
	if (kind == KINDS)
		refuse(path, line, "unknown intent '%s'; use MEM-INTENSITY, MEM-CAPACITY, MEM-AFFINITY, MEM-RECYCLE or MEM-ISOLATION",
		       name);
	return kind;
}

static bool is_color(const char *word)
{
	size_t length = strlen(word);

	return isalpha((unsigned char)*word) &&
	       strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

static struct color_intent *color_of(const char *path, int line, const char *name, struct intents *intents)
{
	struct color_intent *color = intents->color;

	if (!is_color(name))
		refuse(path, line, "'%s' is not a color name; use a letter, then letters, digits, - and _", name);
	if (strlen(name) >= GUIDE_NAME)
		refuse(path, line, "'%s' is longer than %d characters; shorten it", name, GUIDE_NAME - 1);
	for (; color < intents->color + intents->count; color++)
		if (!strcmp(color->color, name))
			return color;
	if (intents->count == GUIDE_COLORS)
		refuse(path, line, "more than %d colors; use fewer", GUIDE_COLORS);
	intents->count++;
	*color = (struct color_intent){"", UNSTATED, UNSTATED, UNSTATED, UNSTATED, UNSTATED, line};
	strcpy(color->color, name);
	return color;
}

static int value_of(const char *path, int line, char **words, int highest)
{
	size_t digits = strspn(words[2], "0123456789");
	const char *significant = words[2] + strspn(words[2], "0");
	long value = strlen(significant) > 6 ? highest + 1L : strtol(words[2], NULL, 10);

	if (!digits || words[2][digits] || value > highest)
		refuse(path, line, "%s of %s cannot be '%s'; give a whole number from 0 to %d", words[0], words[1], words[2],
		       highest);
	return value;
}

static void check_capacities(const char *path, int line, const struct intents *intents)
{
	int total = 0;

	for (int i = 0; i < intents->count; i++)
		if (intents->color[i].capacity_percent != UNSTATED)
			total += intents->color[i].capacity_percent;
	if (total > 100)
		refuse(path, line, "the capacities sum to %d %% of the resident set; give at most 100 %%", total);
}

static void declare(const char *path, int line, char **words, int count, int *declared)
{
	int kind;

	if (count != 2)
		refuse(path, line, "%d words after INTENT, expected 1; write INTENT NAME", count - 1);
	kind = kind_of(path, line, words[1]);
	if (declared[kind])
		refuse(path, line, "%s is declared twice, first in line %d; remove this line", words[1], declared[kind]);
	declared[kind] = line;
}

static void state(const char *path, int line, char **words, int count, const int *declared, struct intents *intents)
{
	int kind = kind_of(path, line, words[0]), *attribute, value;
	struct color_intent *color;

	if (!declared[kind])
		refuse(path, line, "%s is not declared; add INTENT %s above this line", words[0], words[0]);
	if (count != 3)
		refuse(path, line, "%d words after %s, expected 2; write %s COLOR VALUE, with comments after //", count - 1,
		       words[0], words[0]);
	color = color_of(path, line, words[1], intents);
	value = value_of(path, line, words, kinds[kind].highest);
	attribute = (int *)((char *)color + kinds[kind].attribute);
	if (*attribute != UNSTATED)
		refuse(path, line, "%s of %s is stated twice; it was %d before; remove one line", words[0], words[1], *attribute);
	*attribute = value;
	check_capacities(path, line, intents);
}

void read_intents(const char *path, struct intents *intents)
{
	FILE *file = fopen(path, "r");
	int declared[KINDS] = {0};
	char *text = NULL;
	size_t bytes = 0;

	if (!file)
		refuse(path, 0, "cannot be read; give an existing file of intents");
	intents->count = 0;
	for (int line = 1; getline(&text, &bytes, file) >= 0; line++) {
		char *words[WORDS + 1], *comment = strstr(text, "//"), *rest = text;
		int count = 0;

		if (comment)
			*comment = '\0';
		for (char *word; (word = strsep(&rest, " \t\r\n\v\f"));)
			if (*word && count <= WORDS)
				words[count++] = word;
		if (count && !strcmp(words[0], "INTENT"))
			declare(path, line, words, count, declared);
		else if (count)
			state(path, line, words, count, declared, intents);
	}
	free(text);
	fclose(file);
}
