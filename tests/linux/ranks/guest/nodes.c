// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs of the tests of ranks:
 *
 *	nodes bind NODE PAGES		touches pages that mbind() binds to a node
 *	nodes migrate FROM TO PAGES	has them there by set_mempolicy(), then migrate_pages()
 *	nodes touch PAGES [FILE]	touches pages; with FILE, keeps them until it exists, and checks them
 *	nodes hold NODE PAGES FILE	the same, of pages that are bound to a node
 *	nodes color COLOR PAGES ...	touches a range of each color
 *	nodes pin NODE PAGES FILE	a pipe refers to its pages until FILE exists
 *	nodes growth PAGES		touches pages and prints the longest time that one took, in microseconds
 *	nodes evacuees ROUNDS PAGES	see evacuees.c
 *
 * Each prints where its pages are.
 */
#include <fcntl.h>
#include <guide.h>
#include <policies.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "nodes.h"

long must(long result, const char *what)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(1);
}

char *map_on(int node, size_t pages)
{
	unsigned long mask = 1ul << node;
	char *begin = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(begin == MAP_FAILED ? -1 : 0, "mmap");
	if (node >= 0)
		must(syscall(SYS_mbind, begin, pages * PAGE, MPOL_BIND, &mask, NODES_MAX, 0), "mbind");
	return begin;
}

static void touch(char *begin, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		memset(begin + i * PAGE, (int)i, PAGE);
}

static void check(const char *begin, size_t pages)
{
	for (size_t i = 0; i < pages * PAGE; i++)
		if (begin[i] != (char)(i / PAGE)) {
			printf("byte %zu of page %zu is wrong\n", i % PAGE, i / PAGE);
			exit(1);
		}
}

void print_nodes(const char *begin, size_t pages)
{
	long found[NODES] = {0};

	for (size_t i = 0; i < pages; i++) {
		const void *page = begin + i * PAGE;
		int status = -1;

		must(syscall(SYS_move_pages, 0, 1, &page, NULL, &status, 0), "move_pages");
		if (status >= 0 && status < NODES)
			found[status]++;
	}
	printf("nodes %ld %ld %ld %ld\n", found[0], found[1], found[2], found[3]);
	fflush(stdout);
}

static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(20000);
}

static void bind_pages(int node, size_t pages)
{
	char *begin = map_on(node, pages);

	touch(begin, pages);
	print_nodes(begin, pages);
}

static void migrate(int from, int to, size_t pages)
{
	unsigned long old = 1ul << from, new = 1ul << to;
	char *begin = map_on(-1, pages);

	must(syscall(SYS_set_mempolicy, MPOL_PREFERRED, &old, NODES_MAX), "set_mempolicy");
	touch(begin, pages);
	print_nodes(begin, pages);
	must(syscall(SYS_migrate_pages, 0, NODES_MAX, &old, &new), "migrate_pages");
	print_nodes(begin, pages);
	check(begin, pages);
}

static void keep(int node, size_t pages, const char *file)
{
	char *begin = map_on(node, pages);

	touch(begin, pages);
	print_nodes(begin, pages);
	if (!file)
		return;
	wait_for(file);
	check(begin, pages);
	print_nodes(begin, pages);
}

static void pin(int node, size_t pages, const char *file)
{
	char *begin = map_on(node, pages);
	struct iovec range = {begin, pages * PAGE};
	int ends[2];

	touch(begin, pages);
	must(pipe(ends), "pipe");
	if (must(vmsplice(ends[1], &range, 1, 0), "vmsplice") != (long)range.iov_len)
		exit(1);
	print_nodes(begin, pages);
	wait_for(file);
}

static void grow(size_t pages)
{
	char *begin = map_on(-1, pages);
	long longest = 0;

	for (size_t i = 0; i < pages; i++) {
		struct timespec before, after;
		long us;

		clock_gettime(CLOCK_MONOTONIC, &before);
		memset(begin + i * PAGE, (int)i, PAGE);
		clock_gettime(CLOCK_MONOTONIC, &after);
		us = (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
		longest = us > longest ? us : longest;
	}
	check(begin, pages);
	printf("longest %ld\n", longest);
	print_nodes(begin, pages);
}

int main(int count, char **words)
{
	const char *what = count > 2 ? words[1] : "";

	if (!strcmp(what, "bind"))
		bind_pages(atoi(words[2]), atol(words[3]));
	else if (!strcmp(what, "migrate"))
		migrate(atoi(words[2]), atoi(words[3]), atol(words[4]));
	else if (!strcmp(what, "touch"))
		keep(-1, atol(words[2]), words[3]);
	else if (!strcmp(what, "hold"))
		keep(atoi(words[2]), atol(words[3]), words[4]);
	else if (!strcmp(what, "pin"))
		pin(atoi(words[2]), atol(words[3]), words[4]);
	else if (!strcmp(what, "growth"))
		grow(atol(words[2]));
	else if (!strcmp(what, "evacuees"))
		return run_evacuees(atol(words[2]), atol(words[3]));
	for (; !strcmp(what, "color") && count > 3; count -= 2, words += 2) {
		char *begin = map_on(-1, atol(words[3]));

		must(litemrc_color(begin, atol(words[3]) * PAGE, words[2]), words[2]);
		touch(begin, atol(words[3]));
		print_nodes(begin, atol(words[3]));
	}
	return 0;
}
