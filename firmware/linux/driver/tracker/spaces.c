// SPDX-License-Identifier: GPL-2.0
/*
 * The memories of tracked processes. A reference keeps the struct, not the
 * memory: that is taken for each use.
 */
#include <linux/mm.h>
#include <linux/platform_device.h>
#include <linux/sched/mm.h>

#include "tracker.h"

/**
 * tracker_space_of() - find or take the place of a memory
 * @tracker: the tracker
 * @mm: the memory
 *
 * Context: Caller holds @tracker->lock.
 * Return: its index, or -ENOSPC
 */
int tracker_space_of(struct tracker *tracker, struct mm_struct *mm)
{
	int space, free = -ENOSPC;

	if (tracker->space[tracker->last_space] == mm)
		return tracker->last_space;
	for (space = TRACKER_SPACES - 1;
	     space >= 0 && tracker->space[space] != mm; space--)
		if (!tracker->space[space])
			free = space;
	if (space < 0 && free >= 0) {
		mmgrab(mm);
		tracker->space[free] = mm;
	}
	if (space < 0)
		space = free;
	if (space >= 0)
		tracker->last_space = space;
	return space;
}

/**
 * tracker_see() - look whether the running process has a place, at a tick
 * @tracker: the tracker
 *
 * A process that ran before it was followed need not fault.
 *
 * Context: Caller holds @tracker->lock.
 */
void tracker_see(struct tracker *tracker)
{
	int space;

	if (!tracker->watching || !current->mm ||
	    !litemrc_current_context(&tracker->device->dev) ||
	    tracker->space[tracker->last_space] == current->mm)
		return;
	for (space = 0; space < TRACKER_SPACES; space++)
		if (tracker->space[space] == current->mm)
			return;
	if (tracker_space_of(tracker, current->mm) >= 0)
		tracker->wanted |= TRACKER_WANTS_SWEEP;
}

/**
 * tracker_space_get() - take a memory, with its mmap lock for reading
 * @tracker: the tracker
 * @space: its index
 *
 * Return: the memory; NULL if it is gone, or someone changes it
 */
struct mm_struct *tracker_space_get(struct tracker *tracker, unsigned int space)
{
	struct mm_struct *mm;
	unsigned long flags;

	if (!READ_ONCE(tracker->space[space]))
		return NULL;
	raw_spin_lock_irqsave(&tracker->lock, flags);
	mm = tracker->space[space];
	if (mm && !mmget_not_zero(mm))
		mm = NULL;
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	if (mm && !mmap_read_trylock(mm)) {
		mmput(mm);
		mm = NULL;
	}
	return mm;
}

/**
 * tracker_space_put() - release what tracker_space_get() returned
 * @mm: the memory
 *
 * Context: May sleep.
 */
void tracker_space_put(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	mmput(mm);
}

static void tracker_forget_space(struct tracker *tracker, unsigned int space)
{
	struct mm_struct *mm = tracker->space[space];
	unsigned int context;
	unsigned long flags;
	u32 count, number;

	for (context = 1; context < TRACKER_CONTEXTS; context++) {
		count = tracker_list(tracker, context, true);
		for (number = 0; number < count; number++) {
			u32 frame = tracker->listed[number];

			if (tracker->page[frame].place.space != space)
				continue;
			raw_spin_lock_irqsave(&tracker->lock, flags);
			if (tracker->page[frame].context &&
			    tracker->page[frame].place.space == space)
				tracker_forget(tracker, frame);
			raw_spin_unlock_irqrestore(&tracker->lock, flags);
		}
	}
	raw_spin_lock_irqsave(&tracker->lock, flags);
	tracker->space[space] = NULL;
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	mmdrop(mm);
}

/**
 * tracker_spaces_check() - forget the memories that are gone, with their pages
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->settings.
 */
void tracker_spaces_check(struct tracker *tracker)
{
	unsigned int space;

	for (space = 0; space < TRACKER_SPACES; space++)
		if (tracker->space[space] &&
		    !atomic_read(&tracker->space[space]->mm_users))
			tracker_forget_space(tracker, space);
}

/**
 * tracker_spaces_free() - forget all memories, with their pages
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->settings, or nothing else uses the tracker.
 */
void tracker_spaces_free(struct tracker *tracker)
{
	unsigned int space;

	for (space = 0; space < TRACKER_SPACES; space++)
		if (tracker->space[space])
			tracker_forget_space(tracker, space);
}
