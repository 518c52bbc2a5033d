// SPDX-License-Identifier: GPL-2.0
/* ranks/N/: power state and policy of a rank. Without a rank power unit it is always active. */
#include <linux/device.h>

#include "ranks.h"

/* Rows of `residency`, in the meter's order. */
static const char *const residencies[] = {
	"active_standby", "precharge_standby",	  "power_down",
	"self_refresh",	  "self_refresh_partial",
};

static struct litemrc *litemrc_rank_of(struct kobject *kobj, unsigned int *rank)
{
	return litemrc_of_folder(kobj, rank);
}

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_rank_of(kobj, &rank);
	u32 state = mon->ranks->ops ? litemrc_rank_state(mon, rank) : LITEMRC_POWER_ACTIVE_STANDBY;

	if (state >= LITEMRC_RANK_STATES || !litemrc_rank_state_names[state])
		return -EIO;
	return sysfs_emit(text, "%s\n", litemrc_rank_state_names[state]);
}

static ssize_t state_store(struct kobject *kobj, struct kobj_attribute *attribute, const char *text,
			   size_t bytes)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_rank_of(kobj, &rank);
	int state, ret;

	if (!mon->ranks->ops)
		return sysfs_streq(text, "active") ? bytes : -ENODEV;
	state = litemrc_name_number(litemrc_rank_state_names, LITEMRC_RANK_STATES, text,
				    strcspn(text, "\n"));
	if (state < 0)
		return state;
	mutex_lock(&mon->settings);
	ret = litemrc_rank_set_state(mon, rank, state);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	struct litemrc_rank_policy policy;
	unsigned int rank;
	struct litemrc *mon = litemrc_rank_of(kobj, &rank);

	if (!mon->ranks->ops)
		return sysfs_emit(text, "none\n");
	mutex_lock(&mon->settings);
	litemrc_rank_get_policy(mon, &policy);
	mutex_unlock(&mon->settings);
	return sysfs_emit(text, "%s %s %s %s %u %u\n", litemrc_rank_policy_names[policy.kind],
			  litemrc_rank_state_names[policy.static_state] ?: "active",
			  litemrc_rank_state_names[policy.mrc_state] ?: "active",
			  litemrc_rank_policy_names[policy.mrc_base], policy.threshold[0],
			  policy.threshold[1]);
}

/* Takes a word and the blanks behind it; returns its number or -EINVAL. */
static int litemrc_rank_take_name(const char **text, const char *const *names, unsigned int count)
{
	size_t length = strcspn(*text, "\n ");
	int number = litemrc_name_number(names, count, *text, length);

	*text += length;
	*text += strspn(*text, " ");
	return number;
}

/* One word changes the kind alone. */
static int litemrc_rank_parse_policy(const char *text, struct litemrc_rank_policy *policy)
{
	static const char *const *const states = litemrc_rank_state_names;
	static const char *const *const kinds = litemrc_rank_policy_names;
	const unsigned int kinds_count = ARRAY_SIZE(litemrc_rank_policy_names);
	int kind = litemrc_rank_take_name(&text, kinds, kinds_count);
	int static_state, mrc_state, mrc_base;

	if (kind < 0)
		return kind;
	policy->kind = kind;
	if (sysfs_streq(text, ""))
		return 0;
	static_state = litemrc_rank_take_name(&text, states, LITEMRC_RANK_STATES);
	mrc_state = litemrc_rank_take_name(&text, states, LITEMRC_RANK_STATES);
	mrc_base = litemrc_rank_take_name(&text, kinds, kinds_count);
	if (static_state < 0 || mrc_state < 0 || mrc_base < 0)
		return -EINVAL;
	policy->static_state = static_state;
	policy->mrc_state = mrc_state;
	policy->mrc_base = mrc_base;
	return litemrc_parse_numbers(text, policy->threshold, ARRAY_SIZE(policy->threshold), NULL);
}

static ssize_t policy_store(struct kobject *kobj, struct kobj_attribute *attribute,
			    const char *text, size_t bytes)
{
	struct litemrc_rank_policy policy;
	unsigned int rank;
	struct litemrc *mon = litemrc_rank_of(kobj, &rank);
	int ret;

	if (!mon->ranks->ops)
		return sysfs_streq(text, "none") ? bytes : -ENODEV;
	mutex_lock(&mon->settings);
	litemrc_rank_get_policy(mon, &policy);
	ret = litemrc_rank_parse_policy(text, &policy);
	if (!ret)
		ret = litemrc_rank_set_policy(mon, &policy);
	mutex_unlock(&mon->settings);
	litemrc_govern(mon);
	return ret ?: bytes;
}

static ssize_t residency_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	unsigned int rank, i;
	struct litemrc *mon = litemrc_rank_of(kobj, &rank);
	ssize_t length = 0;

	if (!mon->ranks->ops)
		return sysfs_emit(text, "active %lld\n",
				  ktime_us_delta(ktime_get(), mon->loaded));
	for (i = 0; i < ARRAY_SIZE(residencies); i++) {
		u64 cycles = litemrc_rank_total(mon, rank, LITEMRC_METER_ACTIVE_STANDBY + i);

		length += sysfs_emit_at(text, length, "%s %llu\n", residencies[i],
					litemrc_rank_us(mon, cycles));
	}
	return length;
}

static ssize_t wakeups_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_rank_of(kobj, &rank);

	return sysfs_emit(text, "%llu\n", litemrc_rank_total(mon, rank, LITEMRC_METER_WAKE_UPS));
}

static struct kobj_attribute state = __ATTR_RW_MODE(state, 0600);
static struct kobj_attribute policy = __ATTR_RW(policy);
static struct kobj_attribute residency = __ATTR_RO_MODE(residency, 0400);
static struct kobj_attribute wakeups = __ATTR_RO_MODE(wakeups, 0400);

static struct attribute *rank_attributes[] = {
	&state.attr, &policy.attr, &residency.attr, &wakeups.attr, NULL
};

static const struct attribute_group litemrc_rank_group = {
	.attrs = rank_attributes,
};

/* Files of all ranks together, only of a monitor with a rank power unit. */

static ssize_t dram_show(struct device *device, struct device_attribute *attribute, char *text)
{
	const struct litemrc_ranks *ranks = litemrc_of_device(device)->ranks;

	return sysfs_emit(text, "ranks %u\nvirtual %u\nstates %u\nchips %u\nphases %u\npart %s\n",
			  ranks->domains, ranks->virtual, ranks->states, ranks->dram.chips,
			  ranks->dram.phases, ranks->dram.part);
}
static DEVICE_ATTR_RO(dram);

static ssize_t working_set_show(struct device *device, struct device_attribute *attribute,
				char *text)
{
	struct litemrc *mon = litemrc_of_device(device);
	struct litemrc_working_set set;

	mutex_lock(&mon->settings);
	litemrc_get_working_set(mon, &set);
	mutex_unlock(&mon->settings);
	return sysfs_emit(text, "%u %u %u\n", set.automatic, set.groups, set.epsilon);
}

static ssize_t working_set_store(struct device *device, struct device_attribute *attribute,
				 const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	struct litemrc_working_set set;
	u32 numbers[3];
	int ret;

	ret = litemrc_parse_numbers(text, numbers, ARRAY_SIZE(numbers), NULL);
	if (ret)
		return ret;
	set.automatic = numbers[0];
	set.groups = numbers[1];
	set.epsilon = numbers[2];
	mutex_lock(&mon->settings);
	ret = litemrc_set_working_set(mon, &set);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}
static DEVICE_ATTR_ADMIN_RW(working_set);

static umode_t litemrc_dram_is_visible(struct kobject *kobj, struct attribute *attribute, int number)
{
	return litemrc_of_device(kobj_to_dev(kobj))->ranks->ops ? attribute->mode : 0;
}

static struct attribute *dram_attributes[] = {
	&dev_attr_dram.attr, &dev_attr_working_set.attr, NULL
};

static const struct attribute_group litemrc_dram_group = {
	.attrs = dram_attributes,
	.is_visible = litemrc_dram_is_visible,
};

int litemrc_rank_files_add(struct litemrc *mon)
{
	int ret;

	ret = litemrc_add_folders(mon, &mon->ranks->folders, "ranks", mon->parameters.ranks,
				  &litemrc_rank_group);
	if (ret)
		return ret;
	ret = sysfs_create_group(&mon->misc.this_device->kobj, &litemrc_dram_group);
	if (ret)
		goto remove_folders;
	ret = litemrc_evacuate_files_add(mon);
	if (ret)
		goto remove_group;
	return 0;

remove_group:
	sysfs_remove_group(&mon->misc.this_device->kobj, &litemrc_dram_group);
remove_folders:
	litemrc_remove_folders(&mon->ranks->folders);
	return ret;
}

/* On return no file is being read or written, and none will be. */
void litemrc_rank_files_remove(struct litemrc *mon)
{
	litemrc_evacuate_files_remove(mon);
	sysfs_remove_group(&mon->misc.this_device->kobj, &litemrc_dram_group);
	litemrc_remove_folders(&mon->ranks->folders);
}
