// SPDX-License-Identifier: BSD-2-Clause
/* elapsed COMMAND [ARGUMENT]...: runs a command, prints its nanoseconds to stderr and returns its status. */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec start, end;
	int status;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: elapsed COMMAND [ARGUMENT]...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (!child) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("elapsed");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%lld ns\n",
		(end.tv_sec - start.tv_sec) * 1000000000ll + end.tv_nsec - start.tv_nsec);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
