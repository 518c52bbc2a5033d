// SPDX-License-Identifier: GPL-2.0
/*
 * Each page frame belongs to the context of the process that allocated it, or to the context that
 * it was handed over to. A claim tells the monitor so. All accesses to the frame then count in that
 * context, on any processor and of any process. Frames without an owner count in context 0.
 *
 * @lock guards the owners, so the monitor's are always these.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "litemrc.h"

/* Not for a monitor that sees by itself who accesses a page. */
int litemrc_owners_init(struct litemrc *mon)
{
	if (!mon->parameters.claims)
		return 0;
	mon->owner = vzalloc(mon->parameters.frames);
	return mon->owner ? 0 : -ENOMEM;
}

void litemrc_owners_free(struct litemrc *mon)
{
	vfree(mon->owner);
}

/* The monitor was just cleared. Caller holds @lock. */
void litemrc_owners_reset_locked(struct litemrc *mon)
{
	if (mon->owner)
		memset(mon->owner, 0, mon->parameters.frames);
}

static void litemrc_set_owner_locked(struct litemrc *mon, u32 frame, unsigned int context)
{
	mon->owner[frame] = context;
	if (context)
		litemrc_claim_locked(mon, frame, 0, context);
	else
		litemrc_invalidate_locked(mon, frame);
}

/* A block may begin below the watched memory, or end beyond it; a frame below is a large number. */
static void litemrc_claim_block_locked(struct litemrc *mon, unsigned long frame, unsigned int order,
			       unsigned int context)
{
	unsigned int step = min_t(unsigned int, order, LITEMRC_CLAIM_ORDER_MAX);
	unsigned long end = frame + BIT(order), frames = mon->parameters.frames;

	if (frame >= frames || frames - frame < BIT(order))
		step = 0;
	for (; frame != end; frame += BIT(step)) {
		if (frame >= frames)
			continue;
		memset(mon->owner + frame, context, BIT(step));
		litemrc_claim_locked(mon, frame, step, context);
	}
}

/**
 * litemrc_page_allocated - a page was allocated, and has not been accessed yet
 * @mon: the monitor
 * @page: the first of the pages, which may be moved
 * @order: of their number
 *
 * The allocating process owns them. A kernel thread owns nothing, nor does a task while it moves
 * pages that belong to others.
 */
void litemrc_page_allocated(struct litemrc *mon, struct page *page, unsigned int order)
{
	unsigned int context;
	unsigned long flags;

	if (!in_task() || current->flags & PF_KTHREAD || current == READ_ONCE(mon->migrating) ||
	    !litemrc_context_of(&mon->map, current))
		return;
	raw_spin_lock_irqsave(&mon->lock, flags);
	context = litemrc_context_of(&mon->map, current);
	if (context)
		litemrc_claim_block_locked(mon, page_to_pfn(page) - mon->first_pfn, order, context);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	mb(); /* the page's first access comes behind the claim */
}

/**
 * litemrc_invalidate - a frame is free from now on, or has no owner any more
 * @mon: the monitor
 * @frame: its number
 *
 * The frame may be reused on return.
 */
void litemrc_invalidate(struct litemrc *mon, u32 frame)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	if (mon->owner)
		mon->owner[frame] = 0;
	litemrc_invalidate_locked(mon, frame);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/**
 * litemrc_hand_over_frame - a page belongs to a context from now on
 * @mon: the monitor
 * @frame: that of a page in use, which is not freed meanwhile
 * @context: its owner; one that owns it already keeps its place in the stack
 */
void litemrc_hand_over_frame(struct litemrc *mon, u32 frame, unsigned int context)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mon->lock, flags);
	if (mon->owner[frame] != context)
		litemrc_set_owner_locked(mon, frame, context);
	raw_spin_unlock_irqrestore(&mon->lock, flags);
}

/* Tells the monitor again who owns each frame, after a clear. */
void litemrc_owners_restore(struct litemrc *mon)
{
	unsigned long flags;
	u32 frame;

	for (frame = 0; mon->owner && frame < mon->parameters.frames; frame++) {
		if (!READ_ONCE(mon->owner[frame]))
			continue;
		raw_spin_lock_irqsave(&mon->lock, flags);
		if (mon->owner[frame])
			litemrc_claim_locked(mon, frame, 0, mon->owner[frame]);
		raw_spin_unlock_irqrestore(&mon->lock, flags);
		cond_resched();
	}
}

/* The frames of a context that follows nothing any more are the kernel's. */
void litemrc_owners_release(struct litemrc *mon, unsigned int context)
{
	unsigned long flags;
	u32 frame;

	for (frame = 0; mon->owner && frame < mon->parameters.frames; frame++) {
		if (READ_ONCE(mon->owner[frame]) != context)
			continue;
		raw_spin_lock_irqsave(&mon->lock, flags);
		if (mon->owner[frame] == context)
			litemrc_set_owner_locked(mon, frame, 0);
		raw_spin_unlock_irqrestore(&mon->lock, flags);
		cond_resched();
	}
}
