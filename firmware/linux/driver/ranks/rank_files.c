// SPDX-License-Identifier: GPL-2.0
/*
 * The module, and its files. ranks/N/: power state and residency of a rank,
 * which without a rank power unit is always active. With one there are also
 * rank_policy/, working_set/ and dram/, which are those of all ranks.
 */
#include <linux/device.h>
#include <linux/module.h>

#include "ranks.h"

/* Returns the number of a name, or -EINVAL. Some numbers have none. */
static int litemrc_name_number(const char *const *names, unsigned int count,
			       const char *text)
{
	unsigned int number;

	for (number = 0; number < count; number++)
		if (names[number] && sysfs_streq(text, names[number]))
			return number;
	return -EINVAL;
}

static ssize_t state_show(struct kobject *kobj,
			  struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	u32 state = mon->ranks->ops ? litemrc_rank_state(mon, rank) :
				      LITEMRC_POWER_ACTIVE_STANDBY;

	if (state >= LITEMRC_RANK_STATES || !litemrc_rank_state_names[state])
		return -EIO;
	return sysfs_emit(text, "%s\n", litemrc_rank_state_names[state]);
}

static ssize_t state_store(struct kobject *kobj,
			   struct kobj_attribute *attribute, const char *text,
			   size_t bytes)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	int state, ret;

	if (!mon->ranks->ops)
		return sysfs_streq(text, "active") ? bytes : -ENODEV;
	state = litemrc_name_number(litemrc_rank_state_names,
				    LITEMRC_RANK_STATES, text);
	if (state < 0)
		return state;
	mutex_lock(&mon->settings);
	ret = litemrc_rank_set_state(mon, rank, state);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}

/* A total of the meter since load. */
static ssize_t litemrc_total_show(struct kobject *kobj,
				  struct kobj_attribute *attribute, char *text)
{
	unsigned int rank, word = litemrc_place_of(attribute);
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);
	u64 total = litemrc_rank_total(mon, rank, word);

	if (word == LITEMRC_METER_WAKE_UPS)
		return sysfs_emit(text, "%llu\n", total);
	if (mon->ranks->ops)
		total = litemrc_rank_us(mon, total);
	else if (word == LITEMRC_METER_ACTIVE_STANDBY)
		total = ktime_us_delta(ktime_get(), mon->loaded);
	return sysfs_emit(text, "%llu\n", total);
}

#define LITEMRC_TOTAL(_name, _word) \
	LITEMRC_PLACED(total, _name, litemrc_total_show, _word)

LITEMRC_TOTAL(active_standby_us, LITEMRC_METER_ACTIVE_STANDBY);
LITEMRC_TOTAL(precharge_standby_us, LITEMRC_METER_ACTIVE_STANDBY + 1);
LITEMRC_TOTAL(power_down_us, LITEMRC_METER_ACTIVE_STANDBY + 2);
LITEMRC_TOTAL(self_refresh_us, LITEMRC_METER_ACTIVE_STANDBY + 3);
LITEMRC_TOTAL(self_refresh_partial_us, LITEMRC_METER_ACTIVE_STANDBY + 4);
LITEMRC_TOTAL(wakeups, LITEMRC_METER_WAKE_UPS);
static struct kobj_attribute litemrc_rank_state_file =
	__ATTR_RW_MODE(state, 0600);

static struct attribute *litemrc_rank_files[] = {
	&litemrc_rank_state_file.attr, LITEMRC_FILE(total, active_standby_us),
	LITEMRC_FILE(total, precharge_standby_us),
	LITEMRC_FILE(total, power_down_us),
	LITEMRC_FILE(total, self_refresh_us),
	LITEMRC_FILE(total, self_refresh_partial_us),
	LITEMRC_FILE(total, wakeups), NULL
};

static const struct attribute_group litemrc_rank_group = {
	.attrs = litemrc_rank_files,
};

static void *litemrc_ranks_base(struct litemrc *mon)
{
	return mon->ranks;
}

#define LITEMRC_DRAM(_name, _member)                                     \
	LITEMRC_MEMBER(dram, _name, 0444, struct litemrc_ranks, _member, \
		       .base = litemrc_ranks_base)

LITEMRC_DRAM(ranks, domains);
LITEMRC_DRAM(virtual, virtual);
LITEMRC_DRAM(states, states);
LITEMRC_DRAM(chips, dram.chips);
LITEMRC_DRAM(phases, dram.phases);

static ssize_t part_show(struct device *device,
			 struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%s\n",
			  litemrc_of_device(device)->ranks->dram.part);
}
static DEVICE_ATTR_RO(part);

static struct attribute *litemrc_dram_files[] = {
	LITEMRC_FILE(dram, ranks), LITEMRC_FILE(dram, virtual),
	LITEMRC_FILE(dram, states), LITEMRC_FILE(dram, chips),
	LITEMRC_FILE(dram, phases), &dev_attr_part.attr, NULL
};

/* A member of struct litemrc_rank_policy; all are u32. */
struct litemrc_policy_attribute {
	struct device_attribute attribute;
	unsigned int offset;
	const char *const *names; /* NULL: a number */
	unsigned int count; /* of names */
};

static ssize_t litemrc_policy_show(struct device *device,
				   struct device_attribute *attribute,
				   char *text)
{
	const struct litemrc_policy_attribute *member =
		container_of(attribute, struct litemrc_policy_attribute,
			     attribute);
	struct litemrc *mon = litemrc_of_device(device);
	struct litemrc_rank_policy policy;
	u32 value;

	mutex_lock(&mon->settings);
	litemrc_rank_get_policy(mon, &policy);
	mutex_unlock(&mon->settings);
	value = *(u32 *)((void *)&policy + member->offset);
	if (!member->names)
		return sysfs_emit(text, "%u\n", value);
	return sysfs_emit(text, "%s\n",
			  value < member->count && member->names[value] ?
				  member->names[value] :
				  "active");
}

static ssize_t litemrc_policy_store(struct device *device,
				    struct device_attribute *attribute,
				    const char *text, size_t bytes)
{
	const struct litemrc_policy_attribute *member =
		container_of(attribute, struct litemrc_policy_attribute,
			     attribute);
	struct litemrc *mon = litemrc_of_device(device);
	struct litemrc_rank_policy policy;
	u32 value;
	int ret;

	if (member->names) {
		ret = litemrc_name_number(member->names, member->count, text);
		value = ret;
	} else {
		ret = litemrc_parse_number(text, &value);
	}
	if (ret < 0)
		return ret;
	mutex_lock(&mon->settings);
	litemrc_rank_get_policy(mon, &policy);
	*(u32 *)((void *)&policy + member->offset) = value;
	ret = litemrc_rank_set_policy(mon, &policy);
	mutex_unlock(&mon->settings);
	litemrc_govern(mon);
	return ret ?: bytes;
}

#define LITEMRC_POLICY(_name, _member, ...)                               \
	static struct litemrc_policy_attribute litemrc_policy_##_name = { \
		.attribute = __ATTR(_name, 0644, litemrc_policy_show,     \
				    litemrc_policy_store),                \
		.offset = offsetof(struct litemrc_rank_policy, _member),  \
		__VA_ARGS__                                               \
	}
#define LITEMRC_OF_KIND \
	.names = litemrc_rank_policy_names, .count = LITEMRC_POLICY_MRC + 1
#define LITEMRC_OF_STATE \
	.names = litemrc_rank_state_names, .count = LITEMRC_RANK_STATES

LITEMRC_POLICY(kind, kind, LITEMRC_OF_KIND);
LITEMRC_POLICY(static_state, static_state, LITEMRC_OF_STATE);
LITEMRC_POLICY(mrc_state, mrc_state, LITEMRC_OF_STATE);
LITEMRC_POLICY(mrc_base, mrc_base, LITEMRC_OF_KIND);
LITEMRC_POLICY(threshold_power_down, threshold[0]);
LITEMRC_POLICY(threshold_self_refresh, threshold[1]);

static struct attribute *litemrc_policy_files[] = {
	LITEMRC_FILE(policy, kind), LITEMRC_FILE(policy, static_state),
	LITEMRC_FILE(policy, mrc_state), LITEMRC_FILE(policy, mrc_base),
	LITEMRC_FILE(policy, threshold_power_down),
	LITEMRC_FILE(policy, threshold_self_refresh), NULL
};

/* A member of struct litemrc_working_set; all are u32. */
static u64 litemrc_working_set_get(struct litemrc *mon, size_t offset)
{
	struct litemrc_working_set set;

	litemrc_get_working_set(mon, &set);
	return *(u32 *)((void *)&set + offset);
}

static int litemrc_working_set_set(struct litemrc *mon, size_t offset,
				   u32 value)
{
	struct litemrc_working_set set;

	litemrc_get_working_set(mon, &set);
	*(u32 *)((void *)&set + offset) = value;
	return litemrc_set_working_set(mon, &set);
}

#define LITEMRC_WORKING_SET(_name)                                           \
	static u64 litemrc_get_##_name(struct litemrc *mon)                  \
	{                                                                    \
		size_t offset = offsetof(struct litemrc_working_set, _name); \
		return litemrc_working_set_get(mon, offset);                 \
	}                                                                    \
	static int litemrc_set_##_name(struct litemrc *mon, u32 value)       \
	{                                                                    \
		size_t offset = offsetof(struct litemrc_working_set, _name); \
		return litemrc_working_set_set(mon, offset, value);          \
	}                                                                    \
	LITEMRC_NUMBER(working_set, _name, 0600, .get = litemrc_get_##_name, \
		       .set = litemrc_set_##_name, .most = U32_MAX)

LITEMRC_WORKING_SET(automatic);
LITEMRC_WORKING_SET(groups);
LITEMRC_WORKING_SET(epsilon);

static struct attribute *litemrc_working_set_files[] = {
	LITEMRC_FILE(working_set, automatic), LITEMRC_FILE(working_set, groups),
	LITEMRC_FILE(working_set, epsilon), NULL
};

static const struct attribute_group litemrc_dram_group = {
	.name = "dram",
	.attrs = litemrc_dram_files,
};

static const struct attribute_group litemrc_policy_group = {
	.name = "rank_policy",
	.attrs = litemrc_policy_files,
};

static const struct attribute_group litemrc_working_set_group = {
	.name = "working_set",
	.attrs = litemrc_working_set_files,
};

static const struct attribute_group *litemrc_unit_groups[] = {
	&litemrc_dram_group, &litemrc_policy_group, &litemrc_working_set_group,
	NULL
};

static int litemrc_rank_files_add(struct litemrc *mon)
{
	struct kobject *kobj = &mon->misc.this_device->kobj;
	int ret;

	ret = litemrc_add_folders(mon, &mon->ranks->folders, "ranks",
				  mon->parameters.ranks, &litemrc_rank_group);
	if (ret)
		return ret;
	ret = mon->ranks->ops ? sysfs_create_groups(kobj, litemrc_unit_groups) :
				0;
	if (ret)
		goto remove_folders;
	ret = litemrc_evacuate_files_add(mon);
	if (ret)
		goto remove_groups;
	return 0;

remove_groups:
	if (mon->ranks->ops)
		sysfs_remove_groups(kobj, litemrc_unit_groups);
remove_folders:
	litemrc_remove_folders(&mon->ranks->folders);
	return ret;
}

/* On return no file is being read or written, and none will be. */
static void litemrc_rank_files_remove(struct litemrc *mon)
{
	if (mon->ranks->ops)
		sysfs_remove_groups(&mon->misc.this_device->kobj,
				    litemrc_unit_groups);
	litemrc_remove_folders(&mon->ranks->folders);
}

static int litemrc_ranks_add(struct litemrc *mon)
{
	int ret = litemrc_ranks_find(mon);

	if (ret)
		return ret;
	ret = litemrc_evacuation_init(mon);
	if (ret)
		goto free;
	litemrc_ranks_quiet(mon);
	ret = litemrc_rank_files_add(mon);
	if (ret)
		goto stop;
	ret = litemrc_governor_add(mon);
	if (!ret)
		return 0;
	litemrc_rank_files_remove(mon);
stop:
	litemrc_evacuation_stop(mon);
free:
	litemrc_ranks_free(mon);
	return ret;
}

static void litemrc_ranks_remove(struct litemrc *mon)
{
	litemrc_rank_files_remove(mon);
	litemrc_governor_remove(mon);
	litemrc_evacuation_stop(mon);
	litemrc_ranks_quiet(mon);
	litemrc_ranks_free(mon);
}

static const struct litemrc_client litemrc_ranks_client = {
	.add = litemrc_ranks_add,
	.remove = litemrc_ranks_remove,
	.fill = litemrc_ranks_fill,
};

static int __init litemrc_ranks_init(void)
{
	return litemrc_client_register(LITEMRC_RANKS, &litemrc_ranks_client);
}
module_init(litemrc_ranks_init);

static void __exit litemrc_ranks_exit(void)
{
	litemrc_client_unregister(LITEMRC_RANKS);
}
module_exit(litemrc_ranks_exit);

MODULE_DESCRIPTION("LiteMRC rank meter, rank power, and ranks without data");
MODULE_VERSION("1.0.0");
MODULE_LICENSE("GPL");
