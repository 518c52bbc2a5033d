// SPDX-License-Identifier: GPL-2.0
/* Files of all ranks together, only of a monitor with a rank power unit. */
#include <linux/device.h>

#include "litemrc.h"

static ssize_t dram_show(struct device *device, struct device_attribute *attribute, char *text)
{
	const struct litemrc_ranks *ranks = &litemrc_of_device(device)->ranks;

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
	return litemrc_of_device(kobj_to_dev(kobj))->ranks.ops ? attribute->mode : 0;
}

static struct attribute *dram_attributes[] = {
	&dev_attr_dram.attr, &dev_attr_working_set.attr, NULL
};

const struct attribute_group litemrc_dram_group = {
	.attrs = dram_attributes,
	.is_visible = litemrc_dram_is_visible,
};
