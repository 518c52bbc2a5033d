// SPDX-License-Identifier: GPL-2.0
/*
 * The gateware's bits of the frames accessed and written in an epoch. They are
 * read from the window if someone takes them: the page tables,
 * readers of sysfs, or monitors in software of the same memory, which cannot
 * see these accesses on a processor that sets no accessed bits.
 */
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "litemrc.h"

/*
 * Accessed bits for a processor that sets none: at the end of each epoch, those
 * of the page table entries that map a frame accessed in it. Reclaim and DAMON
 * then work as if the processor had set them. It ignores them, so no
 * translation is flushed. Pages that no process maps have no entries; read()
 * and write() note their accesses. A process that has not run in the epoch has
 * not accessed its pages, so its page tables are not visited.
 */

struct mark {
	const struct litemrc *mon;
	const u32 *bits;
	u32 visited;
	u32 marked;
};

static void litemrc_young_mark_accessed(void *data, pte_t *entry,
					unsigned int count)
{
	struct mark *mark = data;
	const u32 *bits = mark->bits;
	unsigned long first = mark->mon->first_pfn, frame;
	u32 frames = mark->mon->parameters.frames;
	pte_t *end = entry + count;

	mark->visited += count;
	for (; entry != end; entry++) {
		if ((pte_val(*entry) & (_PAGE_PRESENT | _PAGE_ACCESSED)) !=
		    _PAGE_PRESENT)
			continue;
		frame = pte_pfn(*entry) - first;
		if (frame >= frames || !(bits[frame / LITEMRC_BITMAP_FRAMES] &
					 BIT(frame % LITEMRC_BITMAP_FRAMES)))
			continue;
		/* Atomic: another hart may set the dirty bit. */
		set_bit(ilog2(_PAGE_ACCESSED), &pte_val(*entry));
		mark->marked++;
	}
}

/**
 * litemrc_young_mark() - mark the pages accessed in an epoch
 * @mon: the monitor
 * @bits: of the frames accessed in it
 *
 * Called in the interrupt's thread, which must not wait long: a process that
 * changes its memory now is skipped. The scheduler set the thread's time when
 * it took the processor from the process that ran at the end of the epoch.
 */
static void litemrc_young_mark(struct litemrc *mon, const u32 *bits)
{
	struct litemrc_young *young = &mon->young;
	struct litemrc_young_events *events = &young->events;
	struct mark mark = { .mon = mon, .bits = bits };
	ktime_t begin = ktime_get();
	u64 since = young->ended;
	int ret;

	young->ended = current->se.exec_start;
	ret = litemrc_walk_since(since, litemrc_young_mark_accessed, &mark);
	if (ret)
		dev_warn_ratelimited(mon->dev,
				     "the pages accessed were not marked: %d\n",
				     ret);
	mutex_lock(&young->lock);
	events->walks++;
	events->visited += mark.visited;
	events->marked += mark.marked;
	events->us += ktime_us_delta(ktime_get(), begin);
	mutex_unlock(&young->lock);
}

/* words of the image before the bits: epoch, frames */
#define LITEMRC_IMAGE_HEAD 2

static LIST_HEAD(consumers);
/* outside the consumers' own locks; guards the images, too */
static DEFINE_MUTEX(consumers_lock);

static u32 litemrc_bitmap_words_of(const struct litemrc *mon)
{
	return DIV_ROUND_UP(mon->parameters.frames, LITEMRC_BITMAP_FRAMES);
}

static u32 *litemrc_bitmap_accessed_of(const struct litemrc *mon)
{
	return mon->bitmap.image + LITEMRC_IMAGE_HEAD;
}

/* Words of the image: its head, both bitmaps, and the epoch once more. */
static u32 litemrc_bitmap_image_words(const struct litemrc *mon)
{
	return LITEMRC_IMAGE_HEAD + 2 * litemrc_bitmap_words_of(mon) + 1;
}

/**
 * litemrc_bitmap_init() - allocate the image, and list the monitor among those
 * that take bits
 * @mon: the monitor, its parameters read
 *
 * Return: 0 or -ENOMEM
 */
int litemrc_bitmap_init(struct litemrc *mon)
{
	mutex_init(&mon->young.lock);
	if (mon->parameters.page_bitmap) {
		mon->bitmap.image =
			vzalloc(array_size(litemrc_bitmap_image_words(mon),
					   sizeof(u32)));
		if (!mon->bitmap.image)
			return -ENOMEM;
	}
	if (mon->ops->accessed) {
		mutex_lock(&consumers_lock);
		list_add(&mon->consumer, &consumers);
		mutex_unlock(&consumers_lock);
	}
	return 0;
}

/**
 * litemrc_bitmap_stop() - pass no more bitmaps to the monitor
 * @mon: the monitor
 *
 * On return it is passed none.
 */
void litemrc_bitmap_stop(struct litemrc *mon)
{
	mutex_lock(&consumers_lock);
	list_del_init(&mon->consumer);
	mutex_unlock(&consumers_lock);
}

/**
 * litemrc_bitmap_free() - free the image
 * @mon: the monitor
 */
void litemrc_bitmap_free(struct litemrc *mon)
{
	vfree(mon->bitmap.image);
}

static void litemrc_bitmap_read_words(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 first = LITEMRC_WINDOW_ACCESSED(parameters->groups,
					    parameters->contexts);

	mon->ops->window(mon->io, first, litemrc_bitmap_accessed_of(mon),
			 mon->bitmap.keep ? 2 * litemrc_bitmap_words_of(mon) :
					    litemrc_bitmap_words_of(mon));
	mon->bitmap.kept = mon->bitmap.keep;
	if (mon->bitmap.kept) {
		mon->bitmap.image[0] = litemrc_read(mon, LITEMRC_EPOCH) - 1;
		mon->bitmap.image[1] = mon->parameters.frames;
		mon->bitmap.image[litemrc_bitmap_image_words(mon) - 1] =
			mon->bitmap.image[0];
	}
}

static bool litemrc_bitmap_wants(const struct litemrc *consumer)
{
	return consumer->ops->wants_accessed(consumer->io);
}

static bool litemrc_bitmap_is_wanted(const struct litemrc *mon)
{
	const struct litemrc *consumer;

	list_for_each_entry(consumer, &consumers, consumer)
		if (litemrc_bitmap_wants(consumer))
			return true;
	return mon->bitmap.keep || mon->young.on;
}

static void litemrc_bitmap_pass_to(const struct litemrc *mon,
				   const struct litemrc *consumer)
{
	consumer->ops->accessed(consumer->io, mon->first_pfn,
				litemrc_bitmap_accessed_of(mon),
				litemrc_bitmap_words_of(mon));
}

/**
 * litemrc_bitmap_pass() - pass the bits of the epoch in the window to those
 * that take them
 * @mon: the monitor that counted them
 *
 * Context: The interrupt's thread.
 */
void litemrc_bitmap_pass(struct litemrc *mon)
{
	struct litemrc *consumer;

	if (!mon->parameters.page_bitmap)
		return;
	mutex_lock(&consumers_lock);
	if (litemrc_bitmap_is_wanted(mon)) {
		litemrc_bitmap_read_words(mon);
		list_for_each_entry(consumer, &consumers, consumer)
			if (litemrc_bitmap_wants(consumer))
				litemrc_bitmap_pass_to(mon, consumer);
		mon->bitmap.marks = mon->young.on;
	}
	mutex_unlock(&consumers_lock);
}

/**
 * litemrc_bitmap_mark() - mark the pages accessed in the epoch that was passed
 * @mon: the monitor
 *
 * Context: The interrupt's thread; nothing else changes the image.
 */
void litemrc_bitmap_mark(struct litemrc *mon)
{
	if (mon->bitmap.marks)
		litemrc_young_mark(mon, litemrc_bitmap_accessed_of(mon));
	mon->bitmap.marks = false;
}

/*
 * Feeds the bits of accessed frames to the kernel from the next epoch on, or no
 * longer.
 */
static int litemrc_bitmap_feed(struct litemrc *mon, u32 on)
{
	if (!mon->parameters.page_bitmap)
		return on ? -ENODEV : 0;
	mutex_lock(&consumers_lock);
	mon->young.on = on;
	mutex_unlock(&consumers_lock);
	return 0;
}

/* Keeps the bits of each epoch from the next on for sysfs, or no longer. */
static int litemrc_bitmap_keep(struct litemrc *mon, u32 on)
{
	if (!mon->parameters.page_bitmap)
		return on ? -ENODEV : 0;
	mutex_lock(&consumers_lock);
	mon->bitmap.keep = on;
	mon->bitmap.kept &= on;
	mutex_unlock(&consumers_lock);
	return 0;
}

LITEMRC_MEMBER(bitmap, feed_accessed, 0644, struct litemrc, young.on,
	       .set = litemrc_bitmap_feed, .most = 1);
LITEMRC_MEMBER(bitmap, keep_bitmap, 0644, struct litemrc, bitmap.keep,
	       .set = litemrc_bitmap_keep, .most = 1);

/* Returns bytes of the last epoch's image, or -ENODATA if none is kept. */
static ssize_t litemrc_bitmap_read(struct file *file, struct kobject *kobj,
				   litemrc_bin_attribute *attribute, char *data,
				   loff_t offset, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(kobj_to_dev(kobj));
	ssize_t ret = -ENODATA;

	if (!mon->parameters.page_bitmap)
		return -ENODEV;
	mutex_lock(&consumers_lock);
	if (mon->bitmap.kept)
		ret = memory_read_from_buffer(data, bytes, &offset,
					      mon->bitmap.image,
					      litemrc_bitmap_image_words(mon) *
						      sizeof(u32));
	mutex_unlock(&consumers_lock);
	return ret;
}
static BIN_ATTR(bitmap, 0400, litemrc_bitmap_read, NULL, 0);

static struct attribute *litemrc_bitmap_files[] = {
	LITEMRC_FILE(bitmap, feed_accessed), LITEMRC_FILE(bitmap, keep_bitmap),
	NULL
};

static litemrc_bin_attribute *litemrc_bitmap_binaries[] = { &bin_attr_bitmap,
							    NULL };

const struct attribute_group litemrc_bitmap_group = {
	.attrs = litemrc_bitmap_files,
	.bin_attrs = litemrc_bitmap_binaries,
};

/* Members of 64 bits: of one walk, under the lock. */
static u64 litemrc_young_event(struct litemrc *mon, const u64 *event)
{
	u64 value;

	mutex_lock(&mon->young.lock);
	value = *event;
	mutex_unlock(&mon->young.lock);
	return value;
}

#define LITEMRC_FEED_EVENT(_name, _member)                                   \
	static u64 litemrc_get_##_name(struct litemrc *mon)                  \
	{                                                                    \
		return litemrc_young_event(mon, &mon->young.events._member); \
	}                                                                    \
	LITEMRC_NUMBER(feed, _name, 0400, .get = litemrc_get_##_name)

LITEMRC_FEED_EVENT(walks, walks);
LITEMRC_FEED_EVENT(visited, visited);
LITEMRC_FEED_EVENT(marked, marked);
LITEMRC_FEED_EVENT(microseconds, us);

static struct attribute *litemrc_feed_files[] = {
	LITEMRC_FILE(feed, walks), LITEMRC_FILE(feed, visited),
	LITEMRC_FILE(feed, marked), LITEMRC_FILE(feed, microseconds), NULL
};

const struct attribute_group litemrc_feed_group = {
	.name = "feed_events",
	.attrs = litemrc_feed_files,
};
