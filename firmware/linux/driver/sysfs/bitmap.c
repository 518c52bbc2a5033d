// SPDX-License-Identifier: GPL-2.0
/* Frames accessed and written in an epoch: to user space, and to the kernel's page tables. */
#include <linux/device.h>
#include <linux/math64.h>

#include "compat.h"
#include "litemrc.h"

static ssize_t litemrc_bitmap_set_switch(struct device *device, const char *text, size_t bytes,
			  int (*set)(struct litemrc *mon, bool on))
{
	struct litemrc *mon = litemrc_of_device(device);
	bool on;
	int ret;

	ret = litemrc_parse_switch(text, &on);
	if (ret)
		return ret;
	mutex_lock(&mon->settings);
	ret = set(mon, on);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}

static ssize_t feed_accessed_show(struct device *device, struct device_attribute *attribute,
				  char *text)
{
	return sysfs_emit(text, "%d\n", READ_ONCE(litemrc_of_device(device)->young.on));
}

static ssize_t feed_accessed_store(struct device *device, struct device_attribute *attribute,
				   const char *text, size_t bytes)
{
	return litemrc_bitmap_set_switch(device, text, bytes, litemrc_bitmap_feed);
}
static DEVICE_ATTR_RW(feed_accessed);

static ssize_t feed_events_show(struct device *device, struct device_attribute *attribute,
				char *text)
{
	struct litemrc_young_events events;

	litemrc_young_events(litemrc_of_device(device), &events);
	return sysfs_emit(text, "walks %llu\nvisited %llu\nmarked %llu\nmicroseconds %llu\n",
			  events.walks, events.visited, events.marked, div_u64(events.ns, 1000));
}
static DEVICE_ATTR_ADMIN_RO(feed_events);

static ssize_t keep_bitmap_show(struct device *device, struct device_attribute *attribute,
				char *text)
{
	return sysfs_emit(text, "%d\n", READ_ONCE(litemrc_of_device(device)->bitmap.keep));
}

static ssize_t keep_bitmap_store(struct device *device, struct device_attribute *attribute,
				 const char *text, size_t bytes)
{
	return litemrc_bitmap_set_switch(device, text, bytes, litemrc_bitmap_keep);
}
static DEVICE_ATTR_RW(keep_bitmap);

/* Linux 6.12 has a bitmap_read() of its own, hence the name. */
static ssize_t litemrc_bitmap_image_read(struct file *file, struct kobject *kobj,
			  litemrc_bin_attribute *attribute, char *data,
			  loff_t offset, size_t bytes)
{
	return litemrc_bitmap_read(litemrc_of_device(kobj_to_dev(kobj)), data, offset, bytes);
}
static BIN_ATTR(bitmap, 0400, litemrc_bitmap_image_read, NULL, 0);

static struct attribute *attributes[] = {
	&dev_attr_feed_accessed.attr,
	&dev_attr_feed_events.attr,
	&dev_attr_keep_bitmap.attr,
	NULL
};

static litemrc_bin_attribute *binaries[] = {
	&bin_attr_bitmap,
	NULL
};

const struct attribute_group litemrc_bitmap_group = {
	.attrs = attributes,
	.bin_attrs = binaries,
};
