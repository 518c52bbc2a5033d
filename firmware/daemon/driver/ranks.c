// SPDX-License-Identifier: BSD-2-Clause
#include "driver/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "litemrc_uapi.h"
#include "system/log.h"
#include "system/sysfs.h"
#include "system/text.h"

#define RANKS_MAX 16

struct dram dram;

static int state_files[RANKS_MAX], working_set_files[WORKING_SET_VALUES], policy_files[POLICY_VALUES];

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

/* In the order of DEVICE_RANK_POLICY; the kind is written last. */
static const struct {
	const char *name;
	const char *const *words;	/* NULL: a number */
	unsigned int count;
} policies[POLICY_VALUES] = {
	{"rank_policy/kind", kinds, KINDS},
	{"rank_policy/static_state", states, STATES},
	{"rank_policy/mrc_state", states, STATES},
	{"rank_policy/mrc_base", kinds, KINDS},
	{"rank_policy/threshold_power_down", NULL, 0},
	{"rank_policy/threshold_self_refresh", NULL, 0},
};

/* In the order of DEVICE_WORKING_SET. */
static const char *const working_sets[WORKING_SET_VALUES] = {
	"working_set/automatic", "working_set/groups", "working_set/epsilon",
};

static const struct {
	const char *name;
	uint32_t *value;
	uint32_t least, most;
} descriptions[] = {
	{"dram/ranks", &dram.ranks, 1, RANKS_MAX},
	{"dram/virtual", &dram.virtual, 0, 1},
	{"dram/states", &parameters.power_states, 1, 255},
	{"dram/chips", &dram.chips, 0, UINT32_MAX},
	{"dram/phases", &dram.phases, 0, UINT32_MAX},
};

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
	char text[64], name[32];
	int got = sysfs_read_at(monitor, "dram/part", text, sizeof(text));

	for (int i = 0; i < POLICY_VALUES; i++)
		policy_files[i] = -1;
	for (int i = 0; i < WORKING_SET_VALUES; i++)
		working_set_files[i] = -1;
	if (got == -ENOENT)
		return;
	copy_name(dram.part, sizeof(dram.part), text, got < 0 ? 0 : got);
	for (unsigned int i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
		uint64_t number;

		if (sysfs_read_at(monitor, descriptions[i].name, text, sizeof(text)) < 0 ||
		    !whole_number(text, descriptions[i].most, &number) || number < descriptions[i].least)
			die(1, "use driver and daemon of the same version", "%s: no valid number",
				descriptions[i].name);
		*descriptions[i].value = number;
	}
	parameters.ranks = dram.ranks;
	parameters.features |= 1u << LITEMRC_FEATURE_RANK_POWER;
	for (int i = 0; i < WORKING_SET_VALUES; i++)
		working_set_files[i] = open_one(monitor, working_sets[i]);
	for (int i = 0; i < POLICY_VALUES; i++)
		policy_files[i] = open_one(monitor, policies[i].name);
	for (uint32_t rank = 0; rank < dram.ranks; rank++) {
		snprintf(name, sizeof(name), "ranks/%u/state", (unsigned int)rank);
		state_files[rank] = open_one(monitor, name);
	}
}

static int word_number(const char *text, const char *const *words, unsigned int count, uint32_t *number)
{
	for (uint32_t i = 0; i < count; i++)
		if (words[i] && !strcmp(words[i], text)) {
			*number = i;
			return 0;
		}
	return -EPROTO;
}

int ranks_policy(uint32_t *policy)
{
	char text[SYSFS_TEXT];
	int error = 0;

	for (int i = 0; i < POLICY_VALUES && !error; i++) {
		if (!policies[i].words) {
			error = sysfs_number(policy_files[i], &policy[i]);
			continue;
		}
		error = sysfs_read(policy_files[i], text, sizeof(text));
		if (error >= 0) {
			text[strcspn(text, "\n")] = 0;
			error = word_number(text, policies[i].words, policies[i].count, &policy[i]);
		}
	}
	return error;
}

int ranks_set_policy(const uint32_t *policy)
{
	char texts[POLICY_VALUES][SYSFS_TEXT];

	for (int i = 0; i < POLICY_VALUES; i++) {
		if (policies[i].words)
			snprintf(texts[i], sizeof(texts[i]), "%s", policies[i].words[policy[i]]);
		else
			snprintf(texts[i], sizeof(texts[i]), "%u", (unsigned int)policy[i]);
	}
	return sysfs_set(policy_files, texts, POLICY_VALUES);
}

int ranks_working_set(uint32_t *set)
{
	int error = 0;

	for (int i = 0; i < WORKING_SET_VALUES && !error; i++)
		error = sysfs_number(working_set_files[i], &set[i]);
	return error;
}

int ranks_set_working_set(const uint32_t *set)
{
	return sysfs_set_numbers(working_set_files, set, WORKING_SET_VALUES);
}

int ranks_set_state(uint32_t rank, uint32_t state)
{
	char text[SYSFS_TEXT];

	snprintf(text, sizeof(text), "%s\n", states[state]);
	return sysfs_write(state_files[rank], text);
}
