// SPDX-License-Identifier: GPL-2.0
/*
 * The gateware's bitmap of the frames accessed in an epoch, for monitors in software of the same
 * memory: on a processor that sets no accessed bits they cannot see these accesses.
 */
#include <linux/mutex.h>
#include <linux/vmalloc.h>

#include "litemrc.h"

static LIST_HEAD(takers);
static DEFINE_MUTEX(takers_lock); /* outside the takers' own locks */

static u32 words_of(const struct litemrc *mon)
{
	return DIV_ROUND_UP(mon->parameters.frames, LITEMRC_BITMAP_FRAMES);
}

int litemrc_bitmap_init(struct litemrc *mon)
{
	if (mon->parameters.page_bitmap) {
		mon->accessed = vzalloc(array_size(words_of(mon), sizeof(u32)));
		if (!mon->accessed)
			return -ENOMEM;
	}
	if (mon->ops->accessed) {
		mutex_lock(&takers_lock);
		list_add(&mon->taker, &takers);
		mutex_unlock(&takers_lock);
	}
	return 0;
}

/* On return the monitor is passed no more bitmaps. */
void litemrc_bitmap_stop(struct litemrc *mon)
{
	mutex_lock(&takers_lock);
	list_del_init(&mon->taker);
	mutex_unlock(&takers_lock);
}

static void read_words(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 first = LITEMRC_WINDOW_ACCESSED(parameters->groups, parameters->contexts), word;

	for (word = 0; word < words_of(mon); word++)
		mon->accessed[word] = mon->ops->window(mon->io, first + word);
}

/* Passes the bitmap of the epoch in the window to the takers that are enabled, if there are any. */
void litemrc_bitmap_pass(struct litemrc *mon)
{
	struct litemrc *taker;
	bool read = false;

	if (!mon->parameters.page_bitmap)
		return;
	mutex_lock(&takers_lock);
	list_for_each_entry(taker, &takers, taker) {
		if (!taker->ops->wants_accessed(taker->io))
			continue;
		if (!read)
			read_words(mon);
		read = true;
		taker->ops->accessed(taker->io, mon->first_pfn, mon->accessed, words_of(mon));
	}
	mutex_unlock(&takers_lock);
}
