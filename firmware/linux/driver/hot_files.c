// SPDX-License-Identifier: GPL-2.0
/* The folder hot/: settings, the list of the last epoch, and the queue. */
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "litemrc.h"

/*
 * The frames before number @next leave the queue; -EINVAL if it has no such end
 * of frames.
 */
static int litemrc_hot_acknowledge(struct litemrc *mon, u32 next)
{
	struct litemrc_hot *hot = &mon->hot;
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&hot->queue_lock, flags);
	if (next - hot->first > kfifo_len(&hot->queue))
		ret = -EINVAL;
	for (; !ret && hot->first != next; hot->first++)
		kfifo_skip(&hot->queue);
	raw_spin_unlock_irqrestore(&hot->queue_lock, flags);
	return ret;
}

/*
 * Sets a field of a register; -EINVAL beyond @most, or if the register does not
 * hold it. Caller holds @settings.
 */
static int litemrc_hot_set(struct litemrc *mon, u32 offset, u32 mask, u32 most,
			   u32 value)
{
	u32 before = litemrc_read(mon, offset), events = 0;
	int ret;

	if (value > min(most, mask >> __ffs(mask)))
		return -EINVAL;
	ret = litemrc_set_quiet(mon, offset,
				(before & ~mask) | value << __ffs(mask));
	if (ret)
		return ret == -ENODEV ? -EINVAL : ret;
	if (offset != LITEMRC_HOT_CONTROL)
		return 0;
	if (litemrc_read(mon, offset) & LITEMRC_HOT_CONTROL_ALWAYS_ON)
		events = LITEMRC_EV_ENABLE_HOT;
	litemrc_set_events(mon, LITEMRC_EV_ENABLE_HOT, events);
	return 0;
}

/* @_most may use mon. */
#define LITEMRC_HOT_FIELD(_name, _register, _mask, _least, _most)          \
	static int litemrc_hot_set_##_name(struct litemrc *mon, u32 value) \
	{                                                                  \
		return litemrc_hot_set(mon, LITEMRC_HOT_##_register,       \
				       _mask, _most, value);               \
	}                                                                  \
	LITEMRC_NUMBER(hot, _name, 0644, .mask = _mask, .least = _least,   \
		       .offset = LITEMRC_HOT_##_register, .most = U32_MAX, \
		       .set = litemrc_hot_set_##_name)
#define LITEMRC_HOT_CONTROL_FIELD(_name, _mask)                           \
	LITEMRC_HOT_FIELD(_name, CONTROL, LITEMRC_HOT_CONTROL_##_mask, 0, \
			  U32_MAX)

LITEMRC_HOT_CONTROL_FIELD(enable, ENABLE);
LITEMRC_HOT_CONTROL_FIELD(reads, READS);
LITEMRC_HOT_CONTROL_FIELD(writes, WRITES);
LITEMRC_HOT_CONTROL_FIELD(always_on, ALWAYS_ON);
LITEMRC_HOT_CONTROL_FIELD(sampling, SAMPLING_LOG2);
LITEMRC_HOT_FIELD(threshold, THRESHOLD, U32_MAX, 1, U32_MAX);
LITEMRC_HOT_FIELD(wanted, WANTED, U32_MAX, 1, mon->parameters.hot_pages);
LITEMRC_HOT_FIELD(lower, LOWER, U32_MAX, 0, mon->parameters.frames - 1);
LITEMRC_HOT_FIELD(upper, UPPER, U32_MAX, 0, mon->parameters.frames - 1);
LITEMRC_HOT_FIELD(watermark, WATERMARK, U32_MAX, 1, LITEMRC_HOT_QUEUED_MAX);
LITEMRC_MEMBER(hot, queued, 0400, struct litemrc, hot.queued);
LITEMRC_MEMBER(hot, lost, 0400, struct litemrc, hot.lost);
LITEMRC_MEMBER(hot, overflows, 0400, struct litemrc, hot.overflows);
LITEMRC_MEMBER(hot, queue_first, 0600, struct litemrc, hot.first,
	       .set = litemrc_hot_acknowledge, .most = U32_MAX);

/* The frames that wait, which stay in the queue: a page has room for all. */
static ssize_t queue_show(struct device *device,
			  struct device_attribute *attribute, char *text)
{
	struct litemrc *mon = litemrc_of_device(device);
	struct litemrc_hot *hot = &mon->hot;
	unsigned int count, i;
	unsigned long flags;
	ssize_t bytes = 0;
	u32 *frames;

	frames = kmalloc_array(LITEMRC_HOT_QUEUE_PAGES, sizeof(*frames),
			       GFP_KERNEL);
	if (!frames)
		return -ENOMEM;
	raw_spin_lock_irqsave(&hot->queue_lock, flags);
	/*
	 * Those below the watermark, too. Without room they wait for the reader
	 * where they are.
	 */
	litemrc_hot_take(mon, min_t(u32, kfifo_avail(&hot->queue),
				    LITEMRC_HOT_QUEUED_MAX));
	count = kfifo_out_peek(&hot->queue, frames, LITEMRC_HOT_QUEUE_PAGES);
	raw_spin_unlock_irqrestore(&hot->queue_lock, flags);
	for (i = 0; i < count; i++)
		bytes += sysfs_emit_at(text, bytes, "%u\n", frames[i]);
	kfree(frames);
	return bytes;
}
static DEVICE_ATTR_ADMIN_RO(queue);

/* Returns bytes of the last epoch's list, or -ENODATA if there is none. */
static ssize_t list_read(struct file *file, struct kobject *kobj,
			 litemrc_bin_attribute *attribute, char *data,
			 loff_t offset, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(kobj_to_dev(kobj));
	struct litemrc_hot *hot = &mon->hot;
	ssize_t ret = -ENODATA;

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	mutex_lock(&hot->lock);
	if (hot->kept)
		ret = memory_read_from_buffer(data, bytes, &offset, hot->image,
					      litemrc_hot_image_words(mon) *
						      sizeof(u32));
	mutex_unlock(&hot->lock);
	return ret;
}
static BIN_ATTR_ADMIN_RO(list, 0);

static umode_t litemrc_hot_is_visible(struct kobject *kobj,
				      struct attribute *attribute, int number)
{
	return litemrc_of_device(kobj_to_dev(kobj))->parameters.hot_pages ?
		       attribute->mode :
		       0;
}

static struct attribute *litemrc_hot_files[] = {
	LITEMRC_FILE(hot, enable), LITEMRC_FILE(hot, reads),
	LITEMRC_FILE(hot, writes), LITEMRC_FILE(hot, always_on),
	LITEMRC_FILE(hot, sampling), LITEMRC_FILE(hot, threshold),
	LITEMRC_FILE(hot, wanted), LITEMRC_FILE(hot, lower),
	LITEMRC_FILE(hot, upper), LITEMRC_FILE(hot, watermark),
	LITEMRC_FILE(hot, queued), LITEMRC_FILE(hot, lost),
	LITEMRC_FILE(hot, overflows), LITEMRC_FILE(hot, queue_first),
	&dev_attr_queue.attr, NULL
};

static litemrc_bin_attribute *litemrc_hot_binaries[] = { &bin_attr_list, NULL };

const struct attribute_group litemrc_hot_group = {
	.name = "hot",
	.is_visible = litemrc_hot_is_visible,
	.attrs = litemrc_hot_files,
	.bin_attrs = litemrc_hot_binaries,
};
