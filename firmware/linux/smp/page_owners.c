// SPDX-License-Identifier: BSD-2-Clause
/*
 * page_owners SNAPSHOTS PAUSE_MS CONTEXTS: prints what the kernel's page tables say about the frames, while contexts follow processes.
 *
 * It stops each process that a context follows, until as many contexts follow one; so the first snapshot has pages of all. A process that
 * still runs its parent's program is waited for: a page that its parent allocated before fork() is left to it alone if the parent writes
 * there first, and stays the parent's. For each snapshot
 * it stops the followed processes, ends an epoch, reads the page tables of all processes and the kernel's flags of all frames, ends another
 * epoch, and lets the processes continue. So what it reads lies between the ends of two epochs. It prints
 *
 *     process CONTEXT PID MIGRATIONS FRAMES   of each process, frames that it alone maps and that no file has; context 0 if none follows it;
 *                                             how often it changed from one hart to another, if one follows it
 *     kernel FRAMES                           free frames, and those of slabs and page tables
 *     snapshot FIRST SECOND                   numbers of the two epochs
 *
 * with frames as runs GAP+COUNT, hexadecimal, GAP the frames between the run and the one before; no line of a process without such a frame.
 * It ends when no context follows a process any more. It needs root, and a kernel with PROC_PAGE_MONITOR; without SCHED_DEBUG MIGRATIONS is 0.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "../programs/program.h"

#define DEVICE "/sys/class/misc/litemrc0/"
#define CGROUPS "/sys/fs/cgroup"
#define MAX_PROCESSES 64
#define BLOCK 512 /* entries of a file read at once */
#define POLL_MS 50

/* Documentation/admin-guide/mm/pagemap.rst. */
#define PRESENT (1ull << 63)
#define OF_FILE (1ull << 61)
#define EXCLUSIVE (1ull << 56)
#define PFN ((1ull << 55) - 1)
#define SLAB (1ull << 7)
#define BUDDY (1ull << 10)
#define PGTABLE (1ull << 26)

struct process {
	pid_t pid;
	uint32_t context;
};

static struct process followed[MAX_PROCESSES];
static uint32_t followed_count;
static unsigned long first_page, frames, contexts;

/* Reads a small file; the text is "" if there is none. */
static char *text_of(const char *path)
{
	static char text[4096];
	int file = open(path, O_RDONLY);
	ssize_t got = file < 0 ? 0 : read(file, text, sizeof(text) - 1);

	if (file >= 0)
		close(file);
	text[got < 0 ? 0 : got] = 0;
	return text;
}

/* The number behind a name in a file; 0 if there is none. */
static unsigned long number_behind(const char *name, const char *path)
{
	const char *found = strstr(text_of(path), name);

	if (!found)
		return 0;
	found += strlen(name);
	return strtoul(found + strspn(found, " :\n"), NULL, 10);
}

static unsigned long number_in(const char *path)
{
	return strtoul(text_of(path), NULL, 10);
}

/* Ends the running epoch; returns its number. */
static unsigned long end_epoch(void)
{
	int file = open(DEVICE "end_epoch", O_WRONLY);

	if (file < 0 || write(file, "1", 1) != 1) {
		perror(DEVICE "end_epoch");
		exit(1);
	}
	close(file);
	return number_in(DEVICE "epoch") - 1;
}

static uint32_t context_of(pid_t pid)
{
	for (uint32_t i = 0; i < followed_count; i++)
		if (followed[i].pid == pid)
			return followed[i].context;
	return 0;
}

/* Reads the path of a process's program; "" if it has none. */
static void program_of(pid_t pid, char program[256])
{
	char path[64];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	got = readlink(path, program, 255);
	program[got < 0 ? 0 : got] = 0;
}

/* Whether the process has executed its program, or has its pages from a process that is followed in the same context. */
static bool has_begun(pid_t pid, uint32_t context)
{
	char path[64], own[256], of_parent[256];
	const char *name_end;
	pid_t parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	name_end = strrchr(text_of(path), ')');
	parent = name_end ? strtol(name_end + 3, NULL, 10) : 0;
	if (!parent || context_of(parent) == context)
		return true;
	program_of(pid, own);
	program_of(parent, of_parent);
	return strcmp(own, of_parent) != 0;
}

/* Adds the processes of a file with a number in each line; stops those that are new. Returns false if one has not begun. */
static bool follow(uint32_t context, const char *path)
{
	pid_t listed[MAX_PROCESSES];
	uint32_t count = 0;
	char *at = text_of(path), *end;
	bool all_begun = true;

	for (; count < MAX_PROCESSES; at = end) {
		pid_t pid = strtol(at, &end, 10);

		if (end == at)
			break;
		listed[count++] = pid;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (listed[i] <= 0 || context_of(listed[i]) || followed_count == MAX_PROCESSES)
			continue;
		if (!has_begun(listed[i], context)) {
			all_begun = false;
			continue;
		}
		followed[followed_count++] = (struct process){listed[i], context};
		kill(listed[i], SIGSTOP);
	}
	return all_begun;
}

/* Whether a process that was stopped still runs, perhaps on another processor. */
static bool runs(pid_t pid)
{
	char path[64];
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	name_end = strrchr(text_of(path), ')');
	return name_end && !strchr("TtZX", name_end[2]);
}

/* Stops all followed processes, also those that they start meanwhile. Returns false if one has not begun. */
static bool stop_followed(void)
{
	bool all_begun;
	uint32_t before;

	followed_count = 0;
	do {
		before = followed_count;
		all_begun = true;
		for (uint32_t context = 1; context < contexts; context++) {
			char path[512];

			snprintf(path, sizeof(path), DEVICE "contexts/%" PRIu32 "/state", context);
			if (strncmp(text_of(path), "following", 9))
				continue;
			snprintf(path, sizeof(path), DEVICE "contexts/%" PRIu32 "/pid", context);
			all_begun &= follow(context, path);
			snprintf(path, sizeof(path), DEVICE "contexts/%" PRIu32 "/cgroup", context);
			char *cgroup = text_of(path);

			cgroup[strcspn(cgroup, "\n")] = 0;
			if (*cgroup) {
				snprintf(path, sizeof(path), CGROUPS "%.400s/cgroup.procs", cgroup);
				all_begun &= follow(context, path);
			}
		}
		for (uint32_t i = 0; i < followed_count; i++)
			while (runs(followed[i].pid))
				sleep_for(1);
	} while (followed_count != before);
	return all_begun;
}

/* How many contexts follow a process that is stopped. */
static uint32_t contexts_that_follow(void)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < followed_count; i++)
		seen |= 1u << followed[i].context;
	return __builtin_popcount(seen);
}

/* Marks each frame of the list that the process alone maps; returns whether there is one. */
static bool read_page_tables(pid_t pid, bool *listed)
{
	bool any = false;
	char path[64], line[512];
	unsigned long begin, end;
	uint64_t entries[BLOCK];
	int table;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	table = open(path, O_RDONLY);
	while (maps && table >= 0 && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &begin, &end) != 2)
			continue;
		for (unsigned long page = begin / PAGE_BYTES; page < end / PAGE_BYTES;) {
			unsigned long left = end / PAGE_BYTES - page;
			ssize_t got = pread(table, entries, 8 * (left < BLOCK ? left : BLOCK), (off_t)page * 8);

			if (got <= 0)
				break;
			for (ssize_t i = 0; i < got / 8; i++) {
				uint64_t entry = entries[i];

				if (entry & PRESENT && entry & EXCLUSIVE && !(entry & OF_FILE) && (entry & PFN) - first_page < frames)
					any = listed[(entry & PFN) - first_page] = true;
			}
			page += got / 8;
		}
	}
	if (maps)
		fclose(maps);
	if (table >= 0)
		close(table);
	return any;
}

static void read_flags(bool *listed)
{
	int file = open("/proc/kpageflags", O_RDONLY);
	uint64_t flags[BLOCK];

	for (unsigned long frame = 0; frame < frames; frame += BLOCK) {
		if (pread(file, flags, sizeof(flags), (off_t)(first_page + frame) * 8) != sizeof(flags)) {
			perror("/proc/kpageflags");
			exit(1);
		}
		for (unsigned long i = 0; i < BLOCK && frame + i < frames; i++)
			listed[frame + i] = flags[i] & (BUDDY | SLAB | PGTABLE);
	}
	close(file);
}

/* Ends the line with the listed frames, and empties the list. */
static void print_frames(bool *listed)
{
	unsigned long behind = 0;

	for (unsigned long frame = 0, end; frame < frames; frame = end + 1) {
		for (end = frame; end < frames && listed[end]; end++)
			;
		if (end == frame)
			continue;
		printf(" %lx+%lx", frame - behind, end - frame);
		behind = end;
	}
	printf("\n");
	memset(listed, 0, frames * sizeof(*listed));
}

static void snapshot(bool *listed)
{
	unsigned long first = end_epoch();
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	char path[64];

	while (processes && (entry = readdir(processes))) {
		pid_t pid = isdigit((unsigned char)*entry->d_name) ? strtol(entry->d_name, NULL, 10) : 0;

		if (!pid || !read_page_tables(pid, listed))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/sched", (int)pid);
		printf("process %" PRIu32 " %d %lu", context_of(pid), (int)pid, context_of(pid) ? number_behind("nr_migrations", path) : 0);
		print_frames(listed);
	}
	if (processes)
		closedir(processes);
	read_flags(listed);
	printf("kernel");
	print_frames(listed);
	printf("snapshot %lu %lu\n", first, end_epoch());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint32_t snapshots = number(argc, argv, 1, 4, 1, 1000), pause_ms = number(argc, argv, 2, 100, 1, MAX_SLEEP_MS);
	uint32_t wanted = number(argc, argv, 3, 1, 1, 31);
	bool *listed, begun = false;

	first_page = number_in(DEVICE "parameters/first_page");
	frames = number_in(DEVICE "parameters/frames");
	contexts = number_in(DEVICE "parameters/contexts");
	listed = allocate(frames * sizeof(*listed));
	while (snapshots) {
		if (!stop_followed()) {
			sleep_for(1);
			continue;
		}
		begun |= contexts_that_follow() >= wanted;
		if (begun && !followed_count)
			break;
		if (begun) {
			snapshot(listed);
			snapshots--;
			for (uint32_t i = 0; i < followed_count; i++)
				kill(followed[i].pid, SIGCONT);
		}
		sleep_for(begun ? pause_ms : POLL_MS);
	}
	return 0;
}
