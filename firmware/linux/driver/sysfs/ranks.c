// SPDX-License-Identifier: GPL-2.0
/* ranks/N/: the power state of a rank. Without a rank power unit it is always active. */
#include "litemrc.h"

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	return sysfs_emit(text, "active\n");
}

static ssize_t state_store(struct kobject *kobj, struct kobj_attribute *attribute, const char *text,
			   size_t bytes)
{
	return sysfs_streq(text, "active") ? bytes : -ENODEV;
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	return sysfs_emit(text, "none\n");
}

static ssize_t policy_store(struct kobject *kobj, struct kobj_attribute *attribute,
			    const char *text, size_t bytes)
{
	return sysfs_streq(text, "none") ? bytes : -ENODEV;
}

static ssize_t residency_show(struct kobject *kobj, struct kobj_attribute *attribute, char *text)
{
	unsigned int rank;
	struct litemrc *mon = litemrc_of_folder(kobj, &rank);

	return sysfs_emit(text, "active %lld\n", ktime_us_delta(ktime_get(), mon->loaded));
}

static struct kobj_attribute state = __ATTR_RW(state);
static struct kobj_attribute policy = __ATTR_RW(policy);
static struct kobj_attribute residency = __ATTR_RO(residency);

static struct attribute *rank_attributes[] = { &state.attr, &policy.attr, &residency.attr, NULL };

const struct attribute_group litemrc_rank_group = {
	.attrs = rank_attributes,
};
