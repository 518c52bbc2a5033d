// SPDX-License-Identifier: BSD-2-Clause
/*
 * litemrc-guide [OPTION]... INTENTS -- PROGRAM [ARGUMENT]...: runs a program with its colors on the ranks that its intents ask for.
 * litemrc-guide [OPTION]... INTENTS: prints these ranks: "COLOR bind RANK..." or, as hints, "COLOR prefer RANK..."; - is the rest.
 *
 *	--resident PAGES	resident set of the program, of which MEM-CAPACITY is a share; needed for MEM-ISOLATION and MEM-RECYCLE
 *	--color COLOR		the color of the whole address space, for programs that color nothing
 *	--trays FREE/USED,...	pages of each rank, instead of the present ones
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guide.h"
#include "policies.h"

#define NODE "/sys/devices/system/node/node%d/meminfo"
#define FREE_PAGES "/sys/class/misc/litemrc0/ranks/%d/free_pages"

static int count_trays(const char *text, struct tray *trays)
{
	int count = 0, length;

	while (count < GUIDE_TRAYS &&
	       sscanf(text, "%ld/%ld%n", &trays[count].free_pages, &trays[count].used_pages, &length) == 2) {
		count++;
		if (!text[length])
			return count;
		if (text[length] != ',')
			break;
		text += length + 1;
	}
	refuse("--trays", 0, "'%s' is no list FREE/USED,...; give 1 to %d pairs of pages", text, GUIDE_TRAYS);
}

/* A closed rank has no free memory, as the kernel sees it; the driver knows that it is empty. */
static int present_trays(struct tray *trays)
{
	int count = 0;

	for (; count < GUIDE_TRAYS; count++) {
		long page_kb = sysconf(_SC_PAGESIZE) / 1024, total = 0, free = 0;
		char path[64];
		FILE *file;

		snprintf(path, sizeof(path), NODE, count);
		file = fopen(path, "r");
		if (!file || fscanf(file, " Node %*d MemTotal: %ld kB Node %*d MemFree: %ld", &total, &free) != 2)
			break;
		fclose(file);
		trays[count].free_pages = free / page_kb;
		snprintf(path, sizeof(path), FREE_PAGES, count);
		file = fopen(path, "r");
		if (file && fscanf(file, "%ld", &free) == 1)
			trays[count].free_pages = free;
		if (file)
			fclose(file);
		trays[count].used_pages = total / page_kb - trays[count].free_pages;
	}
	if (!count)
		refuse("/sys/devices/system/node", 0, "there are no nodes; boot the kernel of `make linux-numa`");
	return count;
}

static unsigned long nodes_of(const struct tray_choice *choice)
{
	unsigned long nodes = 0;

	for (int i = 0; i < (choice->bound ? choice->count : !!choice->count); i++)
		nodes |= 1ul << choice->tray[i];
	return nodes;
}

static const char *policy_of(const struct tray_choice *choice)
{
	return choice->bound ? "bind" : choice->count ? "prefer" : "any";
}

static void show(const char *color, const struct tray_choice *choice)
{
	printf("%s %s", color, policy_of(choice));
	for (int i = 0; i < choice->count; i++)
		printf(" %d", choice->tray[i]);
	putchar('\n');
}

/* memnice has priority (host/litemrc_studies/jantz2013/policies/guidance.py): within it the color places its pages, or nothing is left of the color. */
static struct tray_choice within(const struct tray_choice *choice, unsigned long allowed)
{
	struct tray_choice left = {.bound = choice->bound};

	for (int i = 0; i < choice->count; i++)
		if (allowed & 1ul << choice->tray[i])
			left.tray[left.count++] = choice->tray[i];
	left.bound = left.bound && left.count;
	return left;
}

/*
 * A policy of the whole program also concerns the kernel's own pages for it, such as page tables, and only rank 0 can have these. So it
 * binds only if rank 0 is among the ranks.
 */
static int set_policy(const struct tray_choice *choice)
{
	unsigned long nodes = nodes_of(choice), first = 1ul << choice->tray[0];

	if (!choice->count)
		return 0;
	if (choice->bound && nodes & 1)
		return syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, NODES_MAX);
	return syscall(SYS_set_mempolicy, MPOL_PREFERRED, &first, NODES_MAX);
}

static void check_whole(const char *color, const struct tray_choice *choice)
{
	if (choice->bound && !(nodes_of(choice) & 1))
		refuse("--color", 0,
		       "%s is bound to ranks without rank 0, which the kernel needs for any program; print its ranks with litemrc-guide "
		       "INTENTS and start the program with memnice",
		       color);
}

static const struct tray_choice *choice_of(const char *path, const char *color, const struct intents *intents, struct plan *plan)
{
	if (!color)
		return &plan->uncolored;
	for (int i = 0; i < intents->count; i++)
		if (!strcmp(intents->color[i].color, color)) {
			check_whole(color, &plan->color[i]);
			return &plan->color[i];
		}
	refuse(path, 0, "no intent for the color '%s'; state one, or give --color another", color);
}

static void run(const struct intents *intents, const struct plan *plan, const struct tray_choice *whole, char **command)
{
	char text[GUIDE_COLORS * (GUIDE_NAME + 20)], *end = text;
	unsigned long allowed = allowed_nodes();
	struct tray_choice choice;

	if (!allowed)
		refuse("litemrc-guide", 0, "get_mempolicy: %s; boot the kernel of `make linux-numa`", strerror(errno));
	*end = '\0';
	for (int i = 0; i < intents->count; i++) {
		choice = within(&plan->color[i], allowed);
		end += sprintf(end, "%s %s %lx;", intents->color[i].color, policy_of(&choice), nodes_of(&choice));
	}
	setenv(GUIDE_PLAN, text, 1);
	choice = within(whole, allowed);
	if (set_policy(&choice))
		refuse("litemrc-guide", 0, "set_mempolicy: %s; do these ranks exist?", strerror(errno));
	execvp(*command, command);
	refuse(*command, 0, "%s; give a program", strerror(errno));
}

int main(int count, char **words)
{
	static const struct option options[] = {
		{"resident", required_argument, NULL, 'r'}, {"color", required_argument, NULL, 'c'},
		{"trays", required_argument, NULL, 't'},    {NULL, 0, NULL, 0},
	};
	const char *color = NULL, *given = NULL, *path;
	static struct intents intents;
	static struct plan plan;
	struct tray trays[GUIDE_TRAYS];
	long resident = 0;
	char *end = "";
	int option, tray_count;

	while ((option = getopt_long(count, words, "+", options, NULL)) != -1) {
		if (option == 'r')
			resident = strtol(optarg, &end, 10);
		else if (option == 'c')
			color = optarg;
		else if (option == 't')
			given = optarg;
		else
			return 2; /* getopt has said why */
		if (*end || resident < 0)
			refuse("--resident", 0, "'%s' is not a number of pages; give one", optarg);
	}
	path = words[optind];
	if (!path || (words[optind + 1] && (strcmp(words[optind + 1], "--") || !words[optind + 2])))
		refuse("litemrc-guide", 0, "usage: litemrc-guide [--resident PAGES] [--color COLOR] INTENTS [-- PROGRAM [ARGUMENT]...]");
	read_intents(path, &intents);
	tray_count = given ? count_trays(given, trays) : present_trays(trays);
	map_colors(path, &intents, trays, tray_count, resident, &plan);
	if (words[optind + 1])
		run(&intents, &plan, choice_of(path, color, &intents, &plan), words + optind + 2);
	for (int i = 0; i < intents.count; i++)
		show(intents.color[i].color, &plan.color[i]);
	show("-", &plan.uncolored);
	return 0;
}
