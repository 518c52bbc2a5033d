// SPDX-License-Identifier: BSD-2-Clause
#include "driver/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "litemrc_uapi.h"
#include "system/log.h"
#include "system/sysfs.h"
#include "system/text.h"

#define RANKS_MAX 16
#define TEXT 128

struct dram dram;

static int policy_file = -1, working_set_file = -1, state_files[RANKS_MAX];

static const char *const states[] = {
	[LITEMRC_POWER_STATE_AWAKE] = "active",
	[LITEMRC_POWER_STATE_POWER_DOWN] = "power_down",
	[LITEMRC_POWER_STATE_SELF_REFRESH] = "self_refresh",
	[LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL] = "self_refresh_partial",
};
#define STATES (sizeof(states) / sizeof(states[0]))

static const char *const kinds[] = {
	[LITEMRC_RANK_POLICY_NONE] = "none",
	[LITEMRC_RANK_POLICY_STATIC] = "static",
	[LITEMRC_RANK_POLICY_DYNAMIC] = "dynamic",
	[LITEMRC_RANK_POLICY_MRC] = "mrc",
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Fills in a number from the line "NAME N". */
static bool read_line(const char *text, const char *name, uint32_t least, uint32_t most, uint32_t *value)
{
	char pattern[32];
	uint64_t number;
	const char *line;

	snprintf(pattern, sizeof(pattern), "\n%s ", name);
	line = strstr(text, pattern);
	if (!line)
		return false;
	line += strlen(pattern);
	if (!take_number(&line, most, &number) || number < least || (*line && *line != '\n'))
		return false;
	*value = number;
	return true;
}

static int open_one(int folder, const char *name)
{
	int file = openat(folder, name, O_RDWR | O_CLOEXEC);

	if (file < 0)
		die(1, "start as root with --user, or as a user with write permission", "%s: %s", name,
			strerror(errno));
	return file;
}

void ranks_open(int monitor)
{
	char text[256] = "\n", name[32];
	const char *part;
	int got = sysfs_read_at(monitor, "dram", text + 1, sizeof(text) - 1);

	if (got == -ENOENT)
		return;
	part = got < 0 ? NULL : strstr(text, "\npart ");
	if (!part || !read_line(text, "ranks", 1, RANKS_MAX, &dram.ranks) ||
	    !read_line(text, "virtual", 0, 1, &dram.virtual) ||
	    !read_line(text, "states", 1, 255, &parameters.power_states) ||
	    !read_line(text, "chips", 0, UINT32_MAX, &dram.chips) ||
	    !read_line(text, "phases", 0, UINT32_MAX, &dram.phases))
		die(1, "use driver and daemon of the same version", "dram: the description of the ranks is malformed");
	parameters.ranks = dram.ranks;
	parameters.features |= 1u << LITEMRC_FEATURE_RANK_POWER;
	part += strlen("\npart ");
	copy_name(dram.part, sizeof(dram.part), part, strlen(part));
	working_set_file = open_one(monitor, "working_set");
	policy_file = open_one(monitor, "ranks/0/policy");
	for (uint32_t rank = 0; rank < dram.ranks; rank++) {
		snprintf(name, sizeof(name), "ranks/%u/state", (unsigned int)rank);
		state_files[rank] = open_one(monitor, name);
	}
}

/* Takes a word of the list and the blank behind it. */
static bool take_name(const char **text, const char *const *names, unsigned int count, uint32_t *number)
{
	size_t length = strcspn(*text, " \n");

	for (unsigned int i = 0; i < count; i++)
		if (names[i] && strlen(names[i]) == length && !strncmp(*text, names[i], length)) {
			*number = i;
			*text += length;
			*text += **text == ' ';
			return true;
		}
	return false;
}

static bool take_u32(const char **text, uint32_t *value)
{
	uint64_t number;

	if (!take_number(text, UINT32_MAX, &number))
		return false;
	*value = number;
	*text += **text == ' ';
	return true;
}

static bool at_end(const char *text)
{
	return !*text || *text == '\n';
}

int ranks_policy(uint32_t *policy)
{
	char text[TEXT];
	const char *at = text;
	int got = sysfs_read(policy_file, text, sizeof(text));

	if (got < 0)
		return got;
	if (!take_name(&at, kinds, KINDS, &policy[0]) || !take_name(&at, states, STATES, &policy[1]) ||
	    !take_name(&at, states, STATES, &policy[2]) || !take_name(&at, kinds, KINDS, &policy[3]) ||
	    !take_u32(&at, &policy[4]) || !take_u32(&at, &policy[5]))
		return -EPROTO;
	return at_end(at) ? 0 : -EPROTO;
}

int ranks_set_policy(const uint32_t *policy)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%s %s %s %s %u %u\n", kinds[policy[0]], states[policy[1]], states[policy[2]],
		 kinds[policy[3]], (unsigned int)policy[4], (unsigned int)policy[5]);
	return sysfs_write(policy_file, text);
}

int ranks_working_set(uint32_t *set)
{
	char text[TEXT];
	const char *at = text;
	int got = sysfs_read(working_set_file, text, sizeof(text));

	if (got < 0)
		return got;
	for (int i = 0; i < WORKING_SET_VALUES; i++)
		if (!take_u32(&at, &set[i]))
			return -EPROTO;
	return at_end(at) ? 0 : -EPROTO;
}

int ranks_set_working_set(const uint32_t *set)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%u %u %u\n", (unsigned int)set[0], (unsigned int)set[1], (unsigned int)set[2]);
	return sysfs_write(working_set_file, text);
}

int ranks_set_state(uint32_t rank, uint32_t state)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%s\n", states[state]);
	return sysfs_write(state_files[rank], text);
}
