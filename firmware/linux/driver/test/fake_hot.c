// SPDX-License-Identifier: GPL-2.0
/*
 * Hot pages: lists and queued pages are those that a test writes; violations of
 * the rules count.
 */
#include <linux/string.h>

#include "litemrc_fake.h"

/* Caller holds @lock, as everywhere here but in the attributes. */
void fake_hot_reset(struct fake *fake)
{
	fake->hot.control = LITEMRC_HOT_CONTROL_READS |
			    LITEMRC_HOT_CONTROL_WRITES;
	fake->hot.threshold = 2;
	fake->hot.wanted = fake->hot.pages;
	fake->hot.upper = BIT(fake->frames_log2) - 1;
	fake->hot.watermark = 1;
}

/* The end of an epoch. */
void fake_hot_publish(struct fake *fake)
{
	struct fake_hot *hot = &fake->hot;
	u32 listed = hot->control & LITEMRC_HOT_CONTROL_ENABLE ?
			     min(hot->listed, hot->wanted) :
			     0;

	hot->published_listed = listed;
	hot->more = listed < hot->listed;
	memcpy(hot->published, hot->list, sizeof(hot->list));
	hot->listed = 0;
}

bool fake_hot_waiting(const struct fake *fake)
{
	return fake->hot.queued && fake->hot.queued >= fake->hot.watermark;
}

u32 fake_hot_window(const struct fake *fake, u32 word)
{
	return fake->hot.published[word / 2][word % 2];
}

u32 fake_hot_read(const struct fake *fake, unsigned int offset)
{
	const struct fake_hot *hot = &fake->hot;

	switch (offset) {
	case LITEMRC_HOT_CONTROL:
		return hot->control;
	case LITEMRC_HOT_THRESHOLD:
		return hot->threshold;
	case LITEMRC_HOT_WANTED:
		return hot->wanted;
	case LITEMRC_HOT_LOWER:
		return hot->lower;
	case LITEMRC_HOT_UPPER:
		return hot->upper;
	case LITEMRC_HOT_WATERMARK:
		return hot->watermark;
	case LITEMRC_HOT_STATUS:
		return hot->published_listed
			       << LITEMRC_HOT_STATUS_LISTED_SHIFT |
		       (hot->more ? LITEMRC_HOT_STATUS_MORE : 0) |
		       (hot->overflow ? LITEMRC_HOT_STATUS_QUEUE_OVERFLOW : 0) |
		       (fake_hot_waiting(fake) ? LITEMRC_HOT_STATUS_WAITING :
						 0);
	case LITEMRC_HOT_ACCESSES:
		return (fake->epoch - 1) * 11 + 4;
	case LITEMRC_HOT_QUEUE:
		return hot->queued ? LITEMRC_HOT_QUEUE_VALID | hot->queue[0] :
				     0;
	default:
		return 0;
	}
}

/* Returns false if it is no register of hot pages. */
bool fake_hot_write(struct fake *fake, unsigned int offset, u32 value)
{
	struct fake_hot *hot = &fake->hot;
	bool quiet = !(fake->control & LITEMRC_CONTROL_ENABLE) && !fake->busy &&
		     !fake->pending;

	switch (offset) {
	case LITEMRC_HOT_CONTROL:
		hot->control = value & 0xff;
		break;
	case LITEMRC_HOT_THRESHOLD:
		hot->threshold = value & 0xfffff;
		break;
	case LITEMRC_HOT_WANTED:
		hot->wanted = value;
		break;
	case LITEMRC_HOT_LOWER:
		hot->lower = value;
		break;
	case LITEMRC_HOT_UPPER:
		hot->upper = value;
		break;
	case LITEMRC_HOT_WATERMARK:
		hot->watermark = value;
		break;
	case LITEMRC_HOT_COMMAND:
		quiet = true;
		if (value & LITEMRC_HOT_COMMAND_ACKNOWLEDGE)
			hot->overflow = false;
		if (value & LITEMRC_HOT_COMMAND_TAKE && hot->queued)
			memmove(hot->queue, hot->queue + 1,
				--hot->queued * sizeof(u32));
		break;
	default:
		return false;
	}
	if (!quiet)
		fake_violate(fake,
			     "hot pages written while not disabled and idle");
	return true;
}

/* Writing "FRAME COUNT" adds a page to the list of the running epoch. */
static ssize_t hot_page_store(struct device *device,
			      struct device_attribute *attribute,
			      const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned long flags;
	u32 frame, count;
	int ret = -ENOSPC;

	if (sscanf(text, "%u %u", &frame, &count) != 2)
		return -EINVAL;
	raw_spin_lock_irqsave(&fake->lock, flags);
	if (fake->hot.listed < fake->hot.pages) {
		fake->hot.list[fake->hot.listed][0] = frame;
		fake->hot.list[fake->hot.listed++][1] = count;
		ret = 0;
	}
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return ret ?: bytes;
}
static DEVICE_ATTR_WO(hot_page);

static int put_queued(struct fake *fake, u32 frame, u32 count)
{
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&fake->lock, flags);
	if (!(fake->hot.control & LITEMRC_HOT_CONTROL_ALWAYS_ON))
		ret = -EPERM;
	for (; !ret && count; count--, frame++) {
		if (fake->hot.queued == LITEMRC_HOT_QUEUED_MAX)
			fake->hot.overflow = true;
		else
			fake->hot.queue[fake->hot.queued++] = frame;
	}
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return ret;
}

/*
 * Writing "FRAME" or "FIRST N" puts pages into the queue: they have reached the
 * threshold. "FIRST N TIMES" does so again and again, with an interrupt
 * between.
 */
static ssize_t hot_queue_store(struct device *device,
			       struct device_attribute *attribute,
			       const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	u32 frame, count = 1, times = 0;
	int ret;

	if (sscanf(text, "%u %u %u", &frame, &count, &times) < 1)
		return -EINVAL;
	if (!times)
		return put_queued(fake, frame, count) ?: bytes;
	do {
		ret = put_queued(fake, frame, count);
		fake_raise(fake);
	} while (!ret && --times);
	return ret ?: bytes;
}
static DEVICE_ATTR_WO(hot_queue);

static struct attribute *fake_hot_attributes[] = { &dev_attr_hot_page.attr,
						   &dev_attr_hot_queue.attr,
						   NULL };

const struct attribute_group fake_hot_group = {
	.name = "fake_hot",
	.attrs = fake_hot_attributes,
};
