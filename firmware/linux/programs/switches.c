// SPDX-License-Identifier: BSD-2-Clause
/*
 * switches ROUNDS [FILE FILE]: two processes wake each other through pipes; prints the nanoseconds per switch, system
 * calls included. Before that the pid of each is written to its FILE, such as contexts/N/pid of the driver.
 */
#include <stdio.h>
#include <stdlib.h>
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

static void write_pid(const char *path, pid_t pid)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%d\n", pid) < 0 || fclose(file))
		fail(path);
}

int main(int argc, char **argv)
{
	long rounds = argc == 2 || argc == 4 ? strtol(argv[1], NULL, 10) : 0;
	int there[2], back[2];
	long long start;
	pid_t child;

	if (rounds < 1) {
		fprintf(stderr, "usage: switches ROUNDS [FILE FILE]\n");
		return 2;
	}
	if (pipe(there) || pipe(back))
		fail("switches: pipe");
	child = fork();
	if (child < 0)
		fail("switches: fork");
	if (!child) {
		for (long i = 0; i <= rounds; i++) {
			take(there[0]);
			give(back[1]);
		}
		return 0;
	}
	if (argc == 4) {
		write_pid(argv[2], getpid());
		write_pid(argv[3], child);
	}
	give(there[1]);		/* warm-up round */
	take(back[0]);
	start = now_ns();
	for (long i = 0; i < rounds; i++) {
		give(there[1]);
		take(back[0]);
	}
	printf("%lld ns a switch\n", (now_ns() - start) / (2 * rounds));
	waitpid(child, NULL, 0);
	return 0;
}
