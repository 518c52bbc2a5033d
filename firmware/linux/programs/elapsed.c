// SPDX-License-Identifier: BSD-2-Clause
/*
 * elapsed [-o FILE] COMMAND [ARGUMENT]...: runs a command and returns its status. Prints its nanoseconds to stderr, or
 * writes "START LENGTH" in microseconds to FILE, as the programs do for each turn.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long nanoseconds(const struct timespec *time)
{
	return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static int write_turn(const char *name, long long start_ns, long long length_ns)
{
	int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file >= 0 && dprintf(file, "%lld %lld\n", start_ns / 1000, length_ns / 1000) > 0 && !close(file))
		return 0;
	perror(name);
	return 1;
}

int main(int argc, char **argv)
{
	const char *file = argc > 2 && !strcmp(argv[1], "-o") ? argv[2] : NULL;
	struct timespec start, end;
	long long length_ns;
	int status;
	pid_t child;

	argv += file ? 3 : 1;
	if (!*argv) {
		fprintf(stderr, "usage: elapsed [-o FILE] COMMAND [ARGUMENT]...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (!child) {
		execvp(*argv, argv);
		perror(*argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("elapsed");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	length_ns = nanoseconds(&end) - nanoseconds(&start);
	if (!file)
		fprintf(stderr, "%lld ns\n", length_ns);
	else if (write_turn(file, nanoseconds(&start), length_ns))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
