// SPDX-License-Identifier: BSD-2-Clause
/*
 * memnice RANKS -- PROGRAM [ARGUMENT]...: runs a program and its children on some ranks: "2" is two ranks, from 0; "1-2" or "0,3" are
 * these. Jantz et al. 2013, section 7. The limit is a cgroup with cpuset.mems, so no color and no system call of the program widens it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CGROUPS "/sys/fs/cgroup"
#define PROGRAM "/program"
#define BAD_INPUT 2

static void refuse(const char *format, ...)
{
	va_list arguments;

	fputs("memnice: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(BAD_INPUT);
}

static int write_text(const char *folder, const char *name, const char *text)
{
	char path[256];
	int file, written;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	written = write(file, text, strlen(text));
	close(file);
	return written < 0 ? -1 : 0;
}

/* The cgroup of this process: a limit within it can only be narrower. */
static void own_cgroup(char *path, size_t bytes)
{
	FILE *file = fopen("/proc/self/cgroup", "r");
	char line[128] = "";

	while (file && fgets(line, sizeof(line), file) && strncmp(line, "0::", 3))
		;
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = '\0';
	snprintf(path, bytes, CGROUPS "%s", strncmp(line, "0::/", 4) || !line[4] ? "" : line + 3);
}

/* "0,2-3" as a mask; 0 if it is no such list. */
static unsigned long mask_of(const char *list)
{
	unsigned long mask = 0;

	for (;;) {
		unsigned int first, last;
		int length = 0;

		if (sscanf(list, "%u%n", &first, &length) != 1)
			return 0;
		list += length;
		last = first;
		if (*list == '-') {
			if (sscanf(++list, "%u%n", &last, &length) != 1)
				return 0;
			list += length;
		}
		if (first > last || last >= 8 * sizeof(mask))
			return 0;
		for (; first <= last; first++)
			mask |= 1ul << first;
		if (*list != ',')
			return *list && *list != '\n' ? 0 : mask;
		list++;
	}
}

static unsigned long effective(const char *folder)
{
	char path[256], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpuset.mems.effective", folder);
	file = fopen(path, "r");
	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	return mask_of(text);
}

/*
 * Only a cgroup without processes can divide what it has. So the limit is one cgroup and the program is in another one in it, beside
 * which the program can have narrower limits.
 */
static void make_cgroup(char *limit, size_t bytes, const char *ranks)
{
	char own[192], *program;

	own_cgroup(own, sizeof(own));
	program = strrchr(own, '/');
	if (!strcmp(program, PROGRAM))
		*program = '\0';
	if (write_text(own, "cgroup.subtree_control", "+cpuset"))
		refuse("no cpusets in %s (%s); boot the kernel of `make linux-numa`, and run memnice as root in the root cgroup", own,
		       strerror(errno));
	snprintf(limit, bytes, "%s/memnice-%d", own, getpid());
	if (mkdir(limit, 0755))
		refuse("%s: %s; run as root", limit, strerror(errno));
	if (write_text(limit, "cpuset.mems", ranks) || effective(limit) != mask_of(ranks)) {
		rmdir(limit);
		refuse("ranks %s are not all there; give ranks of %s/cpuset.mems.effective", ranks, own);
	}
	write_text(limit, "cgroup.subtree_control", "+cpuset");
}

int main(int count, char **words)
{
	char limit[224], path[256], ranks[64];
	int status;
	pid_t child;

	if (count < 4 || strcmp(words[2], "--"))
		refuse("usage: memnice RANKS -- PROGRAM [ARGUMENT]...");
	snprintf(ranks, sizeof(ranks), "%s", words[1]);
	if (!words[1][strspn(words[1], "0123456789")])
		snprintf(ranks, sizeof(ranks), "0-%ld", strtol(words[1], NULL, 10) - 1);
	if (!mask_of(ranks))
		refuse("'%s' is no number of ranks from 1 on, and no list such as 1-2 or 0,3; give one", words[1]);
	make_cgroup(limit, sizeof(limit), ranks);
	snprintf(path, sizeof(path), "%s" PROGRAM, limit);
	if (mkdir(path, 0755))
		refuse("%s: %s", path, strerror(errno));
	child = fork();
	if (!child) {
		if (write_text(path, "cgroup.procs", "0"))
			refuse("%s: %s", path, strerror(errno));
		execvp(words[3], words + 3);
		refuse("%s: %s; give a program", words[3], strerror(errno));
	}
	if (child < 0)
		refuse("fork: %s", strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	rmdir(path); /* both stay while children of the program run */
	rmdir(limit);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
