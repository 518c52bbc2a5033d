// SPDX-License-Identifier: GPL-2.0
/* The folder hot/: settings, the list of the last epoch, and the queue of hot pages. */
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/slab.h>

#include "compat.h"
#include "litemrc.h"

/* A field of a register, from @least to @most; 0: the field's largest value. */
struct field_attribute {
	struct device_attribute attribute;
	unsigned int offset;
	u32 mask; /* in place; 0: the whole register */
	u32 least;
	u32 (*most)(const struct litemrc *mon);
};

static const struct field_attribute *of_attribute(const struct device_attribute *attribute)
{
	return container_of(attribute, struct field_attribute, attribute);
}

static u32 litemrc_hot_mask_of(const struct field_attribute *field)
{
	return field->mask ?: U32_MAX;
}

static ssize_t field_show(struct device *device, struct device_attribute *attribute, char *text)
{
	const struct field_attribute *field = of_attribute(attribute);
	struct litemrc *mon = litemrc_of_device(device);
	u32 mask = litemrc_hot_mask_of(field);

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	return sysfs_emit(text, "%u\n", (litemrc_read(mon, field->offset) & mask) >> __ffs(mask));
}

static ssize_t field_store(struct device *device, struct device_attribute *attribute,
			   const char *text, size_t bytes)
{
	const struct field_attribute *field = of_attribute(attribute);
	struct litemrc *mon = litemrc_of_device(device);
	u32 mask = litemrc_hot_mask_of(field), number, most;
	int ret;

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	ret = litemrc_parse_numbers(text, &number, 1, NULL);
	if (ret)
		return ret;
	most = field->most ? field->most(mon) : mask >> __ffs(mask);
	if (number < field->least || number > most)
		return -EINVAL;
	mutex_lock(&mon->settings);
	ret = litemrc_hot_set(mon, field->offset, mask, number << __ffs(mask));
	mutex_unlock(&mon->settings);
	return ret == -ENODEV ? -EINVAL : ret ?: bytes; /* more than the register holds */
}

static u32 litemrc_hot_last_frame(const struct litemrc *mon)
{
	return mon->parameters.frames - 1;
}

static u32 litemrc_hot_list_pages(const struct litemrc *mon)
{
	return mon->parameters.hot_pages;
}

static u32 litemrc_hot_queue_places(const struct litemrc *mon)
{
	return LITEMRC_HOT_QUEUED_MAX;
}

#define FIELD_ATTRIBUTE(_name, _offset, _mask, _least, _most)                 \
	static struct field_attribute attribute_##_name = {                   \
		.attribute = __ATTR(_name, 0644, field_show, field_store),    \
		.offset = LITEMRC_HOT_##_offset,                              \
		.mask = _mask,                                                \
		.least = _least,                                              \
		.most = _most,                                                \
	}

FIELD_ATTRIBUTE(enable, CONTROL, LITEMRC_HOT_CONTROL_ENABLE, 0, NULL);
FIELD_ATTRIBUTE(reads, CONTROL, LITEMRC_HOT_CONTROL_READS, 0, NULL);
FIELD_ATTRIBUTE(writes, CONTROL, LITEMRC_HOT_CONTROL_WRITES, 0, NULL);
FIELD_ATTRIBUTE(always_on, CONTROL, LITEMRC_HOT_CONTROL_ALWAYS_ON, 0, NULL);
FIELD_ATTRIBUTE(sampling, CONTROL, LITEMRC_HOT_CONTROL_SAMPLING_LOG2, 0, NULL);
FIELD_ATTRIBUTE(threshold, THRESHOLD, 0, 1, NULL);
FIELD_ATTRIBUTE(wanted, WANTED, 0, 1, litemrc_hot_list_pages);
FIELD_ATTRIBUTE(lower, LOWER, 0, 0, litemrc_hot_last_frame);
FIELD_ATTRIBUTE(upper, UPPER, 0, 0, litemrc_hot_last_frame);
FIELD_ATTRIBUTE(watermark, WATERMARK, 0, 1, litemrc_hot_queue_places);

/* The number of the oldest frame, then the frames, a line each: a page has room for all. */
static ssize_t queue_show(struct device *device, struct device_attribute *attribute, char *text)
{
	struct litemrc *mon = litemrc_of_device(device);
	unsigned int count, i;
	ssize_t bytes;
	u32 *frames, first;

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	frames = kmalloc_array(LITEMRC_HOT_QUEUE_PAGES, sizeof(*frames), GFP_KERNEL);
	if (!frames)
		return -ENOMEM;
	count = litemrc_hot_copy(mon, frames, &first);
	bytes = sysfs_emit(text, "first %u\n", first);
	for (i = 0; i < count; i++)
		bytes += sysfs_emit_at(text, bytes, "%u\n", frames[i]);
	kfree(frames);
	return bytes;
}

/* A number: the frames before it have been read. */
static ssize_t queue_store(struct device *device, struct device_attribute *attribute,
			   const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	u32 next;
	int ret;

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	ret = litemrc_parse_numbers(text, &next, 1, NULL);
	return ret ?: litemrc_hot_acknowledge(mon, next) ?: bytes;
}
static DEVICE_ATTR_ADMIN_RW(queue);

static ssize_t events_show(struct device *device, struct device_attribute *attribute, char *text)
{
	struct litemrc *mon = litemrc_of_device(device);
	unsigned long flags;
	u32 queued, lost, overflows;

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	raw_spin_lock_irqsave(&mon->hot.queue_lock, flags);
	queued = mon->hot.queued;
	lost = mon->hot.lost;
	overflows = mon->hot.overflows;
	raw_spin_unlock_irqrestore(&mon->hot.queue_lock, flags);
	return sysfs_emit(text, "queued %u\nlost %u\noverflows %u\n", queued, lost, overflows);
}
static DEVICE_ATTR_ADMIN_RO(events);

static ssize_t list_read(struct file *file, struct kobject *kobj,
			 litemrc_bin_attribute *attribute, char *data,
			 loff_t offset, size_t bytes)
{
	return litemrc_hot_read(litemrc_of_device(kobj_to_dev(kobj)), data, offset, bytes);
}
static BIN_ATTR_ADMIN_RO(list, 0);

static struct attribute *attributes[] = {
	&attribute_enable.attribute.attr,
	&attribute_reads.attribute.attr,
	&attribute_writes.attribute.attr,
	&attribute_always_on.attribute.attr,
	&attribute_sampling.attribute.attr,
	&attribute_threshold.attribute.attr,
	&attribute_wanted.attribute.attr,
	&attribute_lower.attribute.attr,
	&attribute_upper.attribute.attr,
	&attribute_watermark.attribute.attr,
	&dev_attr_queue.attr,
	&dev_attr_events.attr,
	NULL
};

static litemrc_bin_attribute *binaries[] = {
	&bin_attr_list,
	NULL
};

const struct attribute_group litemrc_hot_group = {
	.name = "hot",
	.attrs = attributes,
	.bin_attrs = binaries,
};
