// SPDX-License-Identifier: BSD-2-Clause
/*
 * switches ROUNDS [FILE TEXT]...: two processes wake each other through pipes; prints the nanoseconds per switch, system
 * calls included. Then, for each pair, writes TEXT to FILE and measures again: the same processes with the same pages,
 * so that caches do not make the difference. The texts `parent` and `child` stand for the pids of the two.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void give(int fd)
{
	if (write(fd, "", 1) != 1)
		fail("switches: write");
}

static void take(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		fail("switches: read");
}

static void write_file(const char *path, const char *text, pid_t child)
{
	FILE *file = fopen(path, "w");
	pid_t pid = strcmp(text, "child") ? getpid() : child;
	int written = -1;

	if (file && (!strcmp(text, "parent") || !strcmp(text, "child")))
		written = fprintf(file, "%d\n", pid);
	else if (file)
		written = fprintf(file, "%s\n", text);
	if (written < 0 || fclose(file))
		fail(path);
}

static void measure(long rounds, int to, int from)
{
	long long start;

	give(to); /* warm-up round */
	take(from);
	start = now_ns();
	for (long i = 0; i < rounds; i++) {
		give(to);
		take(from);
	}
	printf("%lld ns a switch\n", (now_ns() - start) / (2 * rounds));
}

int main(int argc, char **argv)
{
	long rounds = argc % 2 == 0 ? strtol(argv[1], NULL, 10) : 0;
	long turns = argc / 2 * (rounds + 1);
	int there[2], back[2];
	pid_t child;

	if (rounds < 1) {
		fprintf(stderr, "usage: switches ROUNDS [FILE TEXT]...\n");
		return 2;
	}
	if (pipe(there) || pipe(back))
		fail("switches: pipe");
	child = fork();
	if (child < 0)
		fail("switches: fork");
	if (!child) {
		for (long i = 0; i < turns; i++) {
			take(there[0]);
			give(back[1]);
		}
		return 0;
	}
	measure(rounds, there[1], back[0]);
	for (int i = 2; i < argc; i += 2) {
		write_file(argv[i], argv[i + 1], child);
		measure(rounds, there[1], back[0]);
	}
	waitpid(child, NULL, 0);
	return 0;
}
