// SPDX-License-Identifier: BSD-2-Clause
#include "processes/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/log.h"
#include "system/sysfs.h"

#define OWN ".daemon"	/* program names cannot begin with a dot */
#define MOUNT_IT "mount cgroup2 there, name another folder with --cgroup, or run without: --cgroup none"

static int subtree = -1;
static int subtree_low = -1;	/* its memory.low; -1: none, or no permission */
static char place[256];	/* path of the subtree among all cgroups */

static void hand_over(const struct identity *owner)
{
	static const char *const files[] = {"cgroup.procs", "cgroup.threads", "cgroup.subtree_control"};

	if (fchown(subtree, owner->user, owner->group))
		die(1, MOUNT_IT, "cannot change the owner of the cgroup: %s", strerror(errno));
	for (unsigned int i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (fchownat(subtree, files[i], owner->user, owner->group, AT_SYMLINK_NOFOLLOW) && errno != ENOENT)
			die(1, MOUNT_IT, "cannot change the owner of the cgroup's %s: %s", files[i],
				strerror(errno));
}

/* The line of cgroup v2 in /proc/self/cgroup is 0::/PATH; PATH of this process ends in OWN. */
static void find_place(void)
{
	char text[1024];
	char *line, *end;

	if (sysfs_read_at(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) < 0)
		return;
	line = strstr(text, "0::/");
	if (!line)
		return;
	line += strlen("0::");
	line[strcspn(line, "\n")] = 0;
	end = strrchr(line, '/');
	if (!strcmp(end, "/" OWN) && (size_t)(end - line) < sizeof(place))
		snprintf(place, sizeof(place), "%.*s", (int)(end - line), line);
}

void cgroups_init(const char *path, const struct identity *owner)
{
	char pid[16];
	int own, error;

	if (!strcmp(path, CGROUPS_NONE))
		return;
	if (mkdir(path, 0755) && errno != EEXIST)
		die(EXIT_BAD_INPUT, MOUNT_IT, "%s: %s", path, strerror(errno));
	subtree = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (subtree < 0)
		die(EXIT_BAD_INPUT, MOUNT_IT, "%s: %s", path, strerror(errno));
	if (mkdirat(subtree, OWN, 0755) && errno != EEXIST)
		die(EXIT_BAD_INPUT, MOUNT_IT, "%s/" OWN ": %s", path, strerror(errno));
	own = openat(subtree, OWN, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	error = sysfs_write_at(own, "cgroup.procs", pid);
	if (error)
		die(EXIT_BAD_INPUT, MOUNT_IT, "%s is no cgroup v2: %s", path, strerror(-error));
	close(own);
	/* Budgets need the memory controller in the parent, too. Without it budgets are refused; programs still run. */
	sysfs_write_at(subtree, "../cgroup.subtree_control", "+memory\n");
	if (sysfs_write_at(subtree, "cgroup.subtree_control", "+memory\n"))
		log_info("%s: no memory controller, so budgets are refused", path);
	subtree_low = openat(subtree, "memory.low", O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (owner)
		hand_over(owner);
	find_place();
}

bool cgroups_exist(void)
{
	return subtree >= 0;
}

void cgroups_protect(uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", bytes);
	if (subtree_low >= 0)
		sysfs_write(subtree_low, text);
}

int cgroup_make(const char *name)
{
	int group;

	if (mkdirat(subtree, name, 0755)) {
		if (errno != EEXIST)
			return -errno;
		/* Left by a daemon that was killed: kill its programs. */
		group = openat(subtree, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (group < 0)
			return -errno;
		cgroup_kill(group);
		close(group);
		if (unlinkat(subtree, name, AT_REMOVEDIR) || mkdirat(subtree, name, 0755))
			return -errno;
	}
	group = openat(subtree, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return group < 0 ? -errno : group;
}

bool cgroup_path(const char *name, char *path, size_t size)
{
	return (size_t)snprintf(path, size, "%s/%s", place, name) < size;
}

int cgroup_enter(int group, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", (int)pid);
	return sysfs_write_at(group, "cgroup.procs", text);
}

int cgroup_remove(const char *name)
{
	return unlinkat(subtree, name, AT_REMOVEDIR) ? -errno : 0;
}

void cgroup_kill(int group)
{
	sysfs_write_at(group, "cgroup.kill", "1\n");
}

bool cgroup_is_empty(int group)
{
	char text[128];

	return sysfs_read_at(group, "cgroup.events", text, sizeof(text)) < 0 || strstr(text, "populated 0");
}
