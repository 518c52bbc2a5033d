/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Colors of a program's memory, backed by ranks: Jantz et al. 2013 with the system calls of a stock kernel. A tray is a rank, and
 * a rank is a NUMA node (docs/ranks-linux.md).
 *
 *	#include <guide.h>
 *	litemrc_color(table, sizeof(table), "RED");
 *
 * in a program that `litemrc-guide INTENTS -- PROGRAM` starts. Without litemrc-guide the call does nothing.
 */
#ifndef LITEMRC_GUIDE_H
#define LITEMRC_GUIDE_H

#include <stdbool.h>
#include <stddef.h>

#define GUIDE_COLORS 64
#define GUIDE_TRAYS 16
#define GUIDE_NAME 32
#define GUIDE_PLAN "LITEMRC_PLAN" /* environment: what print_plan() writes, of all colors */

enum { HOT = 0, COLD = 1, UNSTATED = -1 };

/* The intents for the pages of a color; UNSTATED where the file states none. */
struct color_intent {
	char color[GUIDE_NAME];
	int intensity, capacity_percent, node, recycle, isolation;
	int line;
};

struct intents {
	struct color_intent color[GUIDE_COLORS];
	int count;
};

struct tray {
	long free_pages, used_pages;
};

/* The trays of a color, the preferred one first; bound: no others. */
struct tray_choice {
	int tray[GUIDE_TRAYS], count;
	bool bound;
};

/* One choice for each color, and one for uncolored pages. */
struct plan {
	struct tray_choice color[GUIDE_COLORS], uncolored;
};

/* intents.c, trays.c: on bad input a message on stderr, "FILE:LINE: what; remedy", and exit status 2. */
void read_intents(const char *path, struct intents *intents);
void map_colors(const char *path, const struct intents *intents, const struct tray *trays, int count, long resident_pages,
		struct plan *plan);
void refuse(const char *path, int line, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

/* color.c: has present and future pages of a range on the trays of a color. 0, or -1 with errno: ENOENT unknown color. */
int litemrc_color(const void *begin, size_t bytes, const char *color);

#endif
