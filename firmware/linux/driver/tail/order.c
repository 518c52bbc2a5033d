// SPDX-License-Identifier: GPL-2.0
/*
 * Evicted pages: a hash finds one, and a tree for each context, in order of
 * eviction, counts those evicted after it. Each step costs O(log pages). The
 * memory is allocated once, since evictions are noted where memory is short.
 */
#include <linux/hash.h>
#include <linux/rbtree_augmented.h>
#include <linux/vmalloc.h>

#include "tail.h"

static struct litemrc_evicted *litemrc_evicted_of(struct rb_node *node)
{
	return rb_entry_safe(node, struct litemrc_evicted, node);
}

static u32 litemrc_tail_size_of(struct rb_node *node)
{
	return node ? litemrc_evicted_of(node)->size : 0;
}

static bool litemrc_tail_update_size(struct litemrc_evicted *evicted, bool exit)
{
	u32 size = litemrc_tail_size_of(evicted->node.rb_left) + 1 +
		   litemrc_tail_size_of(evicted->node.rb_right);

	if (exit && evicted->size == size)
		return true;
	evicted->size = size;
	return false;
}

RB_DECLARE_CALLBACKS(static, sizes, struct litemrc_evicted, node, size,
		     litemrc_tail_update_size);

/**
 * litemrc_order_init() - allocate the places
 * @tails: the tails
 * @count: number of places
 *
 * Return: 0 or -ENOMEM
 */
int litemrc_order_init(struct litemrc_tails *tails, u32 count)
{
	size_t bytes;
	u32 place;

	tails->hash_bits = ilog2(count);
	bytes = array_size(1U << tails->hash_bits, sizeof(*tails->hash));
	tails->hash = vzalloc(bytes);
	tails->places = vzalloc(array_size(count, sizeof(*tails->places)));
	if (!tails->hash || !tails->places) {
		vfree(tails->hash);
		vfree(tails->places);
		tails->hash = NULL;
		tails->places = NULL;
		return -ENOMEM;
	}
	tails->count = count;
	for (place = 0; place < count; place++)
		hlist_add_head(&tails->places[place].same, &tails->free);
	return 0;
}

static struct hlist_head *
litemrc_tail_bucket_of(struct litemrc_tails *tails,
		       const struct litemrc_page *page)
{
	u32 hash = hash_32(page->index ^ page->file, tails->hash_bits);

	return &tails->hash[hash];
}

/**
 * litemrc_evicted_find() - find the place of an evicted page
 * @tails: the tails
 * @page: the page
 *
 * Context: Caller holds @tails->lock.
 * Return: the place, or NULL
 */
struct litemrc_evicted *litemrc_evicted_find(struct litemrc_tails *tails,
					     const struct litemrc_page *page)
{
	struct litemrc_evicted *evicted;

	hlist_for_each_entry(evicted, litemrc_tail_bucket_of(tails, page), same)
		if (evicted->page.index == page->index &&
		    evicted->page.file == page->file)
			return evicted;
	return NULL;
}

/**
 * litemrc_evicted_remove() - forget an evicted page
 * @tails: the tails
 * @evicted: its place
 *
 * Context: Caller holds @tails->lock.
 */
void litemrc_evicted_remove(struct litemrc_tails *tails,
			    struct litemrc_evicted *evicted)
{
	struct litemrc_tail *tail = &tails->of[evicted->context];

	rb_erase_augmented(&evicted->node, &tail->evicted, &sizes);
	tail->swapped -= !evicted->page.file;
	hlist_del(&evicted->same);
	hlist_add_head(&evicted->same, &tails->free);
	evicted->size = 0;
}

/*
 * Returns a place, if need be that of the page of the context that was evicted
 * first; or NULL.
 */
static struct litemrc_evicted *litemrc_evicted_take(struct litemrc_tails *tails,
						    struct litemrc_tail *tail)
{
	struct litemrc_evicted *evicted;

	if (hlist_empty(&tails->free)) {
		if (RB_EMPTY_ROOT(&tail->evicted))
			return NULL;
		evicted = litemrc_evicted_of(rb_first(&tail->evicted));
		litemrc_evicted_remove(tails, evicted);
	}
	evicted = hlist_entry(tails->free.first, struct litemrc_evicted, same);
	hlist_del(&evicted->same);
	return evicted;
}

/* The page was evicted after all others of the context. */
static void litemrc_evicted_append(struct litemrc_tail *tail,
				   struct litemrc_evicted *evicted)
{
	struct rb_node **link = &tail->evicted.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		litemrc_evicted_of(parent)->size++;
		link = &parent->rb_right;
	}
	evicted->size = 1;
	rb_link_node(&evicted->node, parent, link);
	rb_insert_augmented(&evicted->node, &tail->evicted, &sizes);
}

/**
 * litemrc_evicted_add() - note a page that is evicted now
 * @tails: the tails
 * @context: the page's
 * @page: the page
 *
 * Without a place it counts as unidentified; its refault will, too.
 *
 * Context: Caller holds @tails->lock.
 */
void litemrc_evicted_add(struct litemrc_tails *tails, unsigned int context,
			 const struct litemrc_page *page)
{
	struct litemrc_tail *tail = &tails->of[context];
	struct litemrc_evicted *evicted = litemrc_evicted_take(tails, tail);

	if (!evicted) {
		tail->unidentified++;
		return;
	}
	evicted->page = *page;
	evicted->context = context;
	evicted->sweep = tail->sweep;
	tail->swapped += !page->file;
	hlist_add_head(&evicted->same, litemrc_tail_bucket_of(tails, page));
	litemrc_evicted_append(tail, evicted);
}

/**
 * litemrc_evicted_later() - count the pages of a context that were evicted
 * after one
 * @evicted: place of that page
 *
 * Context: Caller holds the lock of the tails.
 * Return: the number of those that are still out
 */
u32 litemrc_evicted_later(const struct litemrc_evicted *evicted)
{
	const struct rb_node *node = &evicted->node, *parent;
	u32 later = litemrc_tail_size_of(node->rb_right);

	for (; (parent = rb_parent(node)); node = parent)
		if (node == parent->rb_left)
			later += 1 + litemrc_tail_size_of(parent->rb_right);
	return later;
}

/**
 * litemrc_evicted_count() - count the evicted pages of a context
 * @tail: that of the context
 *
 * Context: Caller holds the lock of the tails.
 * Return: the number of those that are still out
 */
u32 litemrc_evicted_count(const struct litemrc_tail *tail)
{
	return litemrc_tail_size_of(tail->evicted.rb_node);
}
