// SPDX-License-Identifier: GPL-2.0
/*
 * The gateware's bits of the frames accessed and written in an epoch. They are read from the window
 * if someone takes them: the page tables (young.c), readers of sysfs, or monitors in software of
 * the same memory, which cannot see these accesses on a processor that sets no accessed bits.
 */
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "litemrc.h"

#define LITEMRC_IMAGE_HEAD 2 /* words of the image before the bits: epoch, frames */

static LIST_HEAD(consumers);
static DEFINE_MUTEX(consumers_lock); /* outside the consumers' own locks; guards the images, too */

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

int litemrc_bitmap_init(struct litemrc *mon)
{
	mutex_init(&mon->young.lock);
	if (mon->parameters.page_bitmap) {
		mon->bitmap.image = vzalloc(array_size(litemrc_bitmap_image_words(mon), sizeof(u32)));
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

/* On return the monitor is passed no more bitmaps. */
void litemrc_bitmap_stop(struct litemrc *mon)
{
	mutex_lock(&consumers_lock);
	list_del_init(&mon->consumer);
	mutex_unlock(&consumers_lock);
}

void litemrc_bitmap_free(struct litemrc *mon)
{
	vfree(mon->bitmap.image);
}

static void litemrc_bitmap_read_words(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 first = LITEMRC_WINDOW_ACCESSED(parameters->groups, parameters->contexts);

	mon->ops->window(mon->io, first, litemrc_bitmap_accessed_of(mon),
			 mon->bitmap.keep ? 2 * litemrc_bitmap_words_of(mon) : litemrc_bitmap_words_of(mon));
	mon->bitmap.kept = mon->bitmap.keep;
	if (mon->bitmap.kept) {
		mon->bitmap.image[0] = litemrc_read(mon, LITEMRC_EPOCH) - 1;
		mon->bitmap.image[1] = mon->parameters.frames;
		mon->bitmap.image[litemrc_bitmap_image_words(mon) - 1] = mon->bitmap.image[0];
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

/* Passes the bits of the epoch in the window to those that take them. */
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
				consumer->ops->accessed(consumer->io, mon->first_pfn,
							litemrc_bitmap_accessed_of(mon), litemrc_bitmap_words_of(mon));
		mon->bitmap.marks = mon->young.on;
	}
	mutex_unlock(&consumers_lock);
}

/* Marks the pages accessed in the epoch that was passed. Only its caller changes the image. */
void litemrc_bitmap_mark(struct litemrc *mon)
{
	if (mon->bitmap.marks)
		litemrc_young_mark(mon, litemrc_bitmap_accessed_of(mon));
	mon->bitmap.marks = false;
}

/* Feeds the bits of accessed frames to the kernel from the next epoch on, or no longer. */
int litemrc_bitmap_feed(struct litemrc *mon, bool on)
{
	if (!mon->parameters.page_bitmap)
		return on ? -ENODEV : 0;
	mutex_lock(&consumers_lock);
	mon->young.on = on;
	mutex_unlock(&consumers_lock);
	return 0;
}

/* Keeps the bits of each epoch from the next on for sysfs, or no longer. */
int litemrc_bitmap_keep(struct litemrc *mon, bool on)
{
	if (!mon->parameters.page_bitmap)
		return on ? -ENODEV : 0;
	mutex_lock(&consumers_lock);
	mon->bitmap.keep = on;
	mon->bitmap.kept &= on;
	mutex_unlock(&consumers_lock);
	return 0;
}

/* Returns bytes of the last epoch's image, or -ENODATA if none is kept. */
ssize_t litemrc_bitmap_read(struct litemrc *mon, char *data, loff_t offset, size_t bytes)
{
	ssize_t ret = -ENODATA;

	if (!mon->parameters.page_bitmap)
		return -ENODEV;
	mutex_lock(&consumers_lock);
	if (mon->bitmap.kept)
		ret = memory_read_from_buffer(data, bytes, &offset, mon->bitmap.image,
					      litemrc_bitmap_image_words(mon) * sizeof(u32));
	mutex_unlock(&consumers_lock);
	return ret;
}
