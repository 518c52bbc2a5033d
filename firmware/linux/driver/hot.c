// SPDX-License-Identifier: GPL-2.0
/*
 * The gateware's hot pages: the list of each epoch is read from the window for
 * sysfs. Pages that reached the threshold during an epoch are taken out of the
 * gateware's queue, which has few places, by the interrupt.
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

/**
 * litemrc_hot_image_words() - words of the image of the list
 * @mon: the monitor
 *
 * Return: their number
 */
u32 litemrc_hot_image_words(const struct litemrc *mon)
{
	return LITEMRC_HOT_HEAD +
	       mon->parameters.hot_pages * LITEMRC_HOT_PAGE_WORDS + 1;
}

/**
 * litemrc_hot_init() - allocate the image of the list
 * @mon: the monitor, its parameters read
 *
 * Return: 0 or -ENOMEM
 */
int litemrc_hot_init(struct litemrc *mon)
{
	struct litemrc_hot *hot = &mon->hot;

	mutex_init(&hot->lock);
	raw_spin_lock_init(&hot->queue_lock);
	INIT_KFIFO(hot->queue);
	if (!mon->parameters.hot_pages)
		return 0;
	hot->image =
		vzalloc(array_size(litemrc_hot_image_words(mon), sizeof(u32)));
	return hot->image ? 0 : -ENOMEM;
}

/**
 * litemrc_hot_free() - free the image of the list
 * @mon: the monitor
 */
void litemrc_hot_free(struct litemrc *mon)
{
	vfree(mon->hot.image);
}

/**
 * litemrc_hot_quiet() - set the hot pages up as after a reset
 * @mon: the monitor
 *
 * What an earlier driver left in the queue is discarded.
 */
void litemrc_hot_quiet(struct litemrc *mon)
{
	unsigned int places = LITEMRC_HOT_QUEUED_MAX;

	if (!mon->parameters.hot_pages)
		return;
	litemrc_write(mon, LITEMRC_HOT_CONTROL,
		      LITEMRC_HOT_CONTROL_READS | LITEMRC_HOT_CONTROL_WRITES);
	while (places-- &&
	       litemrc_read(mon, LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID)
		litemrc_write(mon, LITEMRC_HOT_COMMAND,
			      LITEMRC_HOT_COMMAND_TAKE);
	litemrc_write(mon, LITEMRC_HOT_COMMAND,
		      LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
}

static bool litemrc_hot_is_on(const struct litemrc *mon)
{
	return mon->parameters.hot_pages &&
	       litemrc_read(mon, LITEMRC_HOT_CONTROL) &
		       LITEMRC_HOT_CONTROL_ENABLE;
}

/**
 * litemrc_hot_pass() - copy the list of the epoch in the window
 * @mon: the monitor
 *
 * Context: The interrupt's thread.
 */
void litemrc_hot_pass(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 bitmap = parameters->page_bitmap ?
			     LITEMRC_BITMAP_WORDS(parameters->frames) :
			     0;
	u32 first = LITEMRC_WINDOW_HOT(parameters->groups, parameters->contexts,
				       bitmap);
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
		listed = min(LITEMRC_FIELD(status, HOT_STATUS_LISTED),
			     parameters->hot_pages);
		memset(hot->image, 0, words * sizeof(u32));
		hot->image[0] = litemrc_read(mon, LITEMRC_EPOCH) - 1;
		hot->image[1] = litemrc_read(mon, LITEMRC_HOT_ACCESSES);
		hot->image[2] = (status & LITEMRC_HOT_STATUS_MORE ?
					 LITEMRC_HOT_MORE :
					 0) |
				(status & LITEMRC_HOT_STATUS_SATURATED ?
					 LITEMRC_HOT_SATURATED :
					 0);
		hot->image[3] = listed;
		mon->ops->window(mon->io, first, hot->image + LITEMRC_HOT_HEAD,
				 listed * LITEMRC_HOT_PAGE_WORDS);
		hot->image[words - 1] = hot->image[0];
	}
	mutex_unlock(&hot->lock);
}

/**
 * litemrc_hot_take() - take pages out of the gateware's queue
 * @mon: the monitor
 * @most: their number, at most
 *
 * Context: Caller holds @mon->hot.queue_lock.
 * Return: whether there was one
 */
bool litemrc_hot_take(struct litemrc *mon, unsigned int most)
{
	struct litemrc_hot *hot = &mon->hot;
	bool any = false;
	u32 oldest;

	for (; most; most--) {
		oldest = litemrc_read(mon, LITEMRC_HOT_QUEUE);
		if (!(oldest & LITEMRC_HOT_QUEUE_VALID))
			break;
		hot->lost += !kfifo_put(&hot->queue,
					oldest & LITEMRC_HOT_QUEUE_FRAME);
		hot->queued++;
		litemrc_write(mon, LITEMRC_HOT_COMMAND,
			      LITEMRC_HOT_COMMAND_TAKE);
		any = true;
	}
	if (litemrc_read(mon, LITEMRC_HOT_STATUS) &
	    LITEMRC_HOT_STATUS_QUEUE_OVERFLOW) {
		hot->overflows++;
		litemrc_write(mon, LITEMRC_HOT_COMMAND,
			      LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
	}
	return any;
}

/**
 * litemrc_hot_drain() - take the pages out of the gateware's queue
 * @mon: the monitor
 *
 * At most as many as it holds: later ones assert the interrupt again.
 *
 * Context: Any context.
 * Return: whether there was one
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

/**
 * litemrc_hot_interrupt() - the hot pages' part of the interrupt's handler
 * @mon: the monitor
 *
 * Return: whether the interrupt was the queue's
 */
bool litemrc_hot_interrupt(struct litemrc *mon)
{
	return mon->parameters.hot_pages &&
	       litemrc_read(mon, LITEMRC_HOT_STATUS) &
		       LITEMRC_HOT_STATUS_WAITING &&
	       litemrc_hot_drain(mon);
}
