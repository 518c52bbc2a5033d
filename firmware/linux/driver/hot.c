// SPDX-License-Identifier: GPL-2.0
/*
 * The gateware's hot pages: the list of each epoch is read from the window for sysfs. Pages that
 * reached the threshold during an epoch are taken out of the gateware's queue, which has few
 * places, by the interrupt.
 */
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "litemrc.h"

#define LITEMRC_HOT_HEAD 4 /* words of the image before the pages */
#define LITEMRC_HOT_MORE BIT(0) /* in the image's flags, as in ABI.md */
#define LITEMRC_HOT_SATURATED BIT(1)

static u32 litemrc_hot_image_words(const struct litemrc *mon)
{
	return LITEMRC_HOT_HEAD + mon->parameters.hot_pages * LITEMRC_HOT_PAGE_WORDS + 1;
}

int litemrc_hot_init(struct litemrc *mon)
{
	struct litemrc_hot *hot = &mon->hot;

	mutex_init(&hot->lock);
	raw_spin_lock_init(&hot->queue_lock);
	INIT_KFIFO(hot->queue);
	if (!mon->parameters.hot_pages)
		return 0;
	hot->image = vzalloc(array_size(litemrc_hot_image_words(mon), sizeof(u32)));
	return hot->image ? 0 : -ENOMEM;
}

void litemrc_hot_free(struct litemrc *mon)
{
	vfree(mon->hot.image);
}

/* As after a reset; what an earlier driver left in the queue is discarded. */
void litemrc_hot_quiet(struct litemrc *mon)
{
	unsigned int places = LITEMRC_HOT_QUEUED_MAX;

	if (!mon->parameters.hot_pages)
		return;
	litemrc_write(mon, LITEMRC_HOT_CONTROL,
		      LITEMRC_HOT_CONTROL_READS | LITEMRC_HOT_CONTROL_WRITES);
	while (places-- && litemrc_read(mon, LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID)
		litemrc_write(mon, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE);
	litemrc_write(mon, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
}

static bool litemrc_hot_is_on(const struct litemrc *mon)
{
	return mon->parameters.hot_pages &&
	       litemrc_read(mon, LITEMRC_HOT_CONTROL) & LITEMRC_HOT_CONTROL_ENABLE;
}

/* Copies the list of the epoch in the window. */
void litemrc_hot_pass(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 bitmap = parameters->page_bitmap ? LITEMRC_BITMAP_WORDS(parameters->frames) : 0;
	u32 first = LITEMRC_WINDOW_HOT(parameters->groups, parameters->contexts, bitmap);
	struct litemrc_hot *hot = &mon->hot;
	u32 words = litemrc_hot_image_words(mon);
	u32 status, listed;

	if (!parameters->hot_pages)
		return;
	litemrc_hot_drain(mon);
	mutex_lock(&hot->lock);
	hot->kept = litemrc_hot_is_on(mon);
	if (hot->kept) {
		status = litemrc_read(mon, LITEMRC_HOT_STATUS);
		listed = min(LITEMRC_FIELD(status, HOT_STATUS_LISTED), parameters->hot_pages);
		memset(hot->image, 0, words * sizeof(u32));
		hot->image[0] = litemrc_read(mon, LITEMRC_EPOCH) - 1;
		hot->image[1] = litemrc_read(mon, LITEMRC_HOT_ACCESSES);
		hot->image[2] = (status & LITEMRC_HOT_STATUS_MORE ? LITEMRC_HOT_MORE : 0) |
				(status & LITEMRC_HOT_STATUS_SATURATED ? LITEMRC_HOT_SATURATED : 0);
		hot->image[3] = listed;
		mon->ops->window(mon->io, first, hot->image + LITEMRC_HOT_HEAD,
				 listed * LITEMRC_HOT_PAGE_WORDS);
		hot->image[words - 1] = hot->image[0];
	}
	mutex_unlock(&hot->lock);
}

/* Returns bytes of the last epoch's list, or -ENODATA if there is none. */
ssize_t litemrc_hot_read(struct litemrc *mon, char *data, loff_t offset, size_t bytes)
{
	struct litemrc_hot *hot = &mon->hot;
	ssize_t ret = -ENODATA;

	if (!mon->parameters.hot_pages)
		return -ENODEV;
	mutex_lock(&hot->lock);
	if (hot->kept)
		ret = memory_read_from_buffer(data, bytes, &offset, hot->image,
					      litemrc_hot_image_words(mon) * sizeof(u32));
	mutex_unlock(&hot->lock);
	return ret;
}

/* Takes pages out of the gateware's queue; returns whether there was one. Holds @queue_lock. */
static bool litemrc_hot_take(struct litemrc *mon, unsigned int most)
{
	struct litemrc_hot *hot = &mon->hot;
	bool any = false;
	u32 oldest;

	for (; most; most--) {
		oldest = litemrc_read(mon, LITEMRC_HOT_QUEUE);
		if (!(oldest & LITEMRC_HOT_QUEUE_VALID))
			break;
		hot->lost += !kfifo_put(&hot->queue, oldest & LITEMRC_HOT_QUEUE_FRAME);
		hot->queued++;
		litemrc_write(mon, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE);
		any = true;
	}
	if (litemrc_read(mon, LITEMRC_HOT_STATUS) & LITEMRC_HOT_STATUS_QUEUE_OVERFLOW) {
		hot->overflows++;
		litemrc_write(mon, LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
	}
	return any;
}

/*
 * Takes the pages out of the gateware's queue; returns whether there was one. Any context. At most
 * as many as it holds: later ones assert the interrupt again.
 */
bool litemrc_hot_drain(struct litemrc *mon)
{
	unsigned long flags;
	bool any;

	if (!mon->parameters.hot_pages)
		return false;
	raw_spin_lock_irqsave(&mon->hot.queue_lock, flags);
	any = litemrc_hot_take(mon, LITEMRC_HOT_QUEUED_MAX);
	raw_spin_unlock_irqrestore(&mon->hot.queue_lock, flags);
	return any;
}

/* The part of the interrupt's handler; returns whether it was the queue's. */
bool litemrc_hot_interrupt(struct litemrc *mon)
{
	return mon->parameters.hot_pages &&
	       litemrc_read(mon, LITEMRC_HOT_STATUS) & LITEMRC_HOT_STATUS_WAITING &&
	       litemrc_hot_drain(mon);
}

/**
 * litemrc_hot_copy - copy the queued frames, which stay in the queue
 * @mon: the monitor
 * @frames: room for LITEMRC_HOT_QUEUE_PAGES, oldest first
 * @first: set to the number of the first, counted from 0 since load
 *
 * Return: how many there are
 */
unsigned int litemrc_hot_copy(struct litemrc *mon, u32 *frames, u32 *first)
{
	struct litemrc_hot *hot = &mon->hot;
	unsigned long flags;
	unsigned int count;

	raw_spin_lock_irqsave(&hot->queue_lock, flags);
	/* Those below the watermark, too. Without room they wait for the reader where they are. */
	litemrc_hot_take(mon, min_t(u32, kfifo_avail(&hot->queue), LITEMRC_HOT_QUEUED_MAX));
	count = kfifo_out_peek(&hot->queue, frames, LITEMRC_HOT_QUEUE_PAGES);
	*first = hot->first;
	raw_spin_unlock_irqrestore(&hot->queue_lock, flags);
	return count;
}

/* The frames before number @next leave the queue; -EINVAL if it has no such end of frames. */
int litemrc_hot_acknowledge(struct litemrc *mon, u32 next)
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

/* Sets a field of a register. Caller holds @settings. */
int litemrc_hot_set(struct litemrc *mon, u32 offset, u32 mask, u32 value)
{
	u32 before = litemrc_read(mon, offset);
	int ret;

	ret = litemrc_set_quiet(mon, offset, (before & ~mask) | value);
	if (!ret && offset == LITEMRC_HOT_CONTROL)
		litemrc_set_events(mon, LITEMRC_EV_ENABLE_HOT,
				   litemrc_read(mon, offset) & LITEMRC_HOT_CONTROL_ALWAYS_ON ?
				   LITEMRC_EV_ENABLE_HOT : 0);
	return ret;
}

/* The folder hot/: settings, the list of the last epoch, and the queue of hot pages. */

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
