// SPDX-License-Identifier: BSD-2-Clause
#include "budgets/groups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "litemrc_protocol.h"
#include "processes/cgroups.h"
#include "processes/runs.h"
#include "system/log.h"

#define NAME_IT "create it before the daemon starts, name the mount point with --cgroups, or remove the line"
#define ENABLE_IT "write +memory to cgroup.subtree_control of each cgroup above it"

static int root = -1;	/* where cgroup v2 is mounted */
static struct budget_files listed_files[LISTED_MAX];

void groups_open(const char *mount)
{
	root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (uint32_t i = 0; i < listed_count; i++) {
		const char *path = listed_path(i);
		int folder = openat(root, path + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

		if (folder < 0)
			die(EXIT_BAD_INPUT, NAME_IT, "[govern] %s: no cgroup %s%s: %s", path, mount, path,
				strerror(errno));
		error = budget_open(&listed_files[i], folder);
		if (error == -ENOENT)
			die(EXIT_BAD_INPUT, ENABLE_IT, "[govern] %s: no memory controller", path);
		if (error)
			die(EXIT_BAD_INPUT, "start the daemon as root", "[govern] %s: %s", path, strerror(-error));
		close(folder);
	}
}

static void group_of_listed(uint32_t number, struct group *group)
{
	*group = (struct group){.files = listed_files[number], .listed = number, .program = -1};
	snprintf(group->path, sizeof(group->path), "%s", listed_path(number));
}

static int find_program(uint32_t context, struct group *group)
{
	int program = runs_program(context), folder = runs_group(context), error;

	*group = (struct group){.listed = -1, .program = program, .serial = runs_serial(program)};
	error = folder < 0 ? folder : budget_open(&group->files, folder);
	if (!error && !cgroup_path(programs[program].name, group->path, sizeof(group->path)))
		group->path[0] = 0;
	return error ? -EOPNOTSUPP : 0;
}

int group_find(uint32_t context, struct group *group)
{
	char path[300];
	int number = -1;

	if (runs_program(context) >= 0)
		return find_program(context, group);
	if (!driver_followed_cgroup(context, path, sizeof(path)))
		number = listed_find(path);
	if (number < 0)
		return -EBUSY;
	group_of_listed(number, group);
	return 0;
}

void group_leave(struct group *group)
{
	if (group->program >= 0)
		budget_close(&group->files);
}

unsigned int group_number(const struct group *group)
{
	return group->listed >= 0 ? group->listed : LISTED_MAX + group->program;
}

void groups_visit(void (*visit)(const struct group *group))
{
	struct group group;

	for (uint32_t i = 0; i < listed_count; i++) {
		group_of_listed(i, &group);
		visit(&group);
	}
	for (uint32_t context = 1; context < parameters.contexts; context++)
		if (runs_program(context) >= 0 && !group_find(context, &group)) {
			visit(&group);
			group_leave(&group);
		}
}

/* The number in a file of the cgroup with this path; 0 with *pages unchanged if there is no such file. */
static int bound_in(const char *path, const char *name, uint32_t *pages)
{
	char file[400];
	uint32_t found;
	int opened, error;

	snprintf(file, sizeof(file), ".%s/%s", path, name);
	opened = openat(root, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (opened < 0)
		return errno == ENOENT ? 0 : -errno;	/* the root has no limits */
	error = budget_pages(opened, &found);
	close(opened);
	if (!error && found < *pages)
		*pages = found;
	return error;
}

int group_bounds(const struct group *group, struct bounds *bounds)
{
	char path[300];
	int error;

	*bounds = (struct bounds){LITEMRC_NO_BUDGET, LITEMRC_NO_BUDGET};
	memcpy(path, group->path, sizeof(path));
	error = root < 0 ? 0 : bound_in(path, "memory.max", &bounds->limit);
	while (!error && root >= 0 && path[0]) {
		*strrchr(path, '/') = 0;
		error = bound_in(path, "memory.max", &bounds->limit);
		if (!error)
			error = bound_in(path, "memory.high", &bounds->limit);
		if (!error)
			error = bound_in(path, "memory.low", &bounds->guarantee);
	}
	return error;
}

static uint64_t pages_of_programs;

static void add_guaranteed(const struct group *group)
{
	uint32_t pages;

	if (group->program >= 0 && !budget_pages(group->files.low, &pages) && pages != LITEMRC_NO_BUDGET)
		pages_of_programs += pages;
}

void groups_protect_programs(void)
{
	pages_of_programs = 0;
	groups_visit(add_guaranteed);
	cgroups_protect(pages_of_programs << parameters.page_shift);
}
