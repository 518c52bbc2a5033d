// SPDX-License-Identifier: GPL-2.0
/* What files of sysfs share: numbers, and numbered folders. */
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "litemrc.h"

/**
 * litemrc_parse_number() - parse a decimal number from 0 to 2^32 - 1
 * @text: the text written by the user: digits, and at most a newline
 * @number: set to the number
 *
 * Return: 0 or -EINVAL
 */
int litemrc_parse_number(const char *text, u32 *number)
{
	return isdigit(*text) && !kstrtou32(text, 10, number) ? 0 : -EINVAL;
}
EXPORT_SYMBOL_GPL(litemrc_parse_number);

static const struct litemrc_number *
litemrc_number_of(const struct device_attribute *attribute)
{
	return container_of(attribute, struct litemrc_number, attribute);
}

static u64 litemrc_number_get(struct litemrc *mon,
			      const struct litemrc_number *number)
{
	const void *member;
	u32 value;

	if (number->get)
		return number->get(mon);
	if (number->bytes) {
		member = (number->base ? number->base(mon) : mon) +
			 number->offset;
		return number->bytes == sizeof(u64) ? *(u64 *)member :
						      READ_ONCE(*(u32 *)member);
	}
	value = litemrc_read(mon, number->offset);
	return number->mask ? (value & number->mask) >> __ffs(number->mask) :
			      value;
}

/**
 * litemrc_number_show() - show the number of a struct litemrc_number
 * @device: the monitor's
 * @attribute: in the struct litemrc_number
 * @text: set to the number and a newline
 *
 * Return: the length of the text
 */
ssize_t litemrc_number_show(struct device *device,
			    struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%llu\n",
			  litemrc_number_get(litemrc_of_device(device),
					     litemrc_number_of(attribute)));
}
EXPORT_SYMBOL_GPL(litemrc_number_show);

/**
 * litemrc_number_store() - set the number of a struct litemrc_number
 * @device: the monitor's
 * @attribute: in the struct litemrc_number
 * @text: the text written by the user
 * @bytes: its length
 *
 * Return: @bytes, -EINVAL, or what @set returned
 */
ssize_t litemrc_number_store(struct device *device,
			     struct device_attribute *attribute,
			     const char *text, size_t bytes)
{
	const struct litemrc_number *number = litemrc_number_of(attribute);
	struct litemrc *mon = litemrc_of_device(device);
	u32 value;
	int ret;

	ret = litemrc_parse_number(text, &value);
	if (ret)
		return ret;
	if (value < number->least || value > number->most)
		return -EINVAL;
	mutex_lock(&mon->settings);
	ret = number->set(mon, value);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}
EXPORT_SYMBOL_GPL(litemrc_number_store);

/*
 * Numbered folders in sysfs. They keep no pointer: a folder's name is its
 * number and its grandparent is the device, so sysfs manages their lifetime and
 * none refers to a removed monitor.
 */

/**
 * litemrc_remove_folders() - remove what litemrc_add_folders() added
 * @folders: the folders; on return none of their files is in use
 */
void litemrc_remove_folders(struct litemrc_folders *folders)
{
	while (folders->count)
		kobject_put(folders->child[--folders->count]);
	kfree(folders->child);
	kobject_put(folders->parent);
}
EXPORT_SYMBOL_GPL(litemrc_remove_folders);

static int litemrc_add_folder(struct litemrc_folders *folders,
			      const struct attribute_group *group)
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

/**
 * litemrc_add_folders() - add a folder of numbered folders to a monitor's
 * @mon: the monitor
 * @folders: set to the folders
 * @name: of the folder
 * @count: of the folders in it, which are named 0, 1 ...
 * @group: the files of each
 *
 * Return: 0 or a negative error, and none is there
 */
int litemrc_add_folders(struct litemrc *mon, struct litemrc_folders *folders,
			const char *name, unsigned int count,
			const struct attribute_group *group)
{
	int ret;

	folders->count = 0;
	folders->child = kcalloc(count, sizeof(*folders->child), GFP_KERNEL);
	if (!folders->child)
		return -ENOMEM;
	folders->parent =
		kobject_create_and_add(name, &mon->misc.this_device->kobj);
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
EXPORT_SYMBOL_GPL(litemrc_add_folders);

/**
 * litemrc_of_folder() - find the monitor and the number of a numbered folder
 * @kobj: the folder
 * @number: set to its number
 *
 * Return: the monitor
 */
struct litemrc *litemrc_of_folder(struct kobject *kobj, unsigned int *number)
{
	if (kstrtouint(kobject_name(kobj), 10, number))
		*number = 0; /* unreachable: litemrc_add_folder() named it */
	return litemrc_of_device(kobj_to_dev(kobj->parent->parent));
}
EXPORT_SYMBOL_GPL(litemrc_of_folder);
