// SPDX-License-Identifier: GPL-2.0
/*
 * Numbered folders in sysfs. They keep no pointer: a folder's name is its number and its
 * grandparent is the device, so sysfs manages their lifetime and none refers to a removed monitor.
 */
#include <linux/device.h>
#include <linux/slab.h>

#include "litemrc.h"

void litemrc_remove_folders(struct litemrc_folders *folders)
{
	while (folders->count)
		kobject_put(folders->child[--folders->count]);
	kfree(folders->child);
	kobject_put(folders->parent);
}

static int litemrc_add_folder(struct litemrc_folders *folders, const struct attribute_group *group)
{
	struct kobject *child;
	char name[12];
	int ret;

	snprintf(name, sizeof(name), "%u", folders->count);
	child = kobject_create_and_add(name, folders->parent);
	if (!child)
		return -ENOMEM;
	ret = sysfs_create_group(child, group);
	if (ret) {
		kobject_put(child);
		return ret;
	}
	folders->child[folders->count++] = child;
	return 0;
}

int litemrc_add_folders(struct litemrc *mon, struct litemrc_folders *folders, const char *name,
			unsigned int count, const struct attribute_group *group)
{
	int ret;

	folders->count = 0;
	folders->child = kcalloc(count, sizeof(*folders->child), GFP_KERNEL);
	if (!folders->child)
		return -ENOMEM;
	folders->parent = kobject_create_and_add(name, &mon->misc.this_device->kobj);
	if (!folders->parent) {
		kfree(folders->child);
		return -ENOMEM;
	}
	while (folders->count < count) {
		ret = litemrc_add_folder(folders, group);
		if (ret) {
			litemrc_remove_folders(folders);
			return ret;
		}
	}
	return 0;
}

struct litemrc *litemrc_of_folder(struct kobject *kobj, unsigned int *number)
{
	if (kstrtouint(kobject_name(kobj), 10, number))
		*number = 0; /* unreachable: litemrc_add_folder() named it */
	return litemrc_of_device(kobj_to_dev(kobj->parent->parent));
}
