// SPDX-License-Identifier: GPL-2.0
/* Accessed bits of the scan lists, read periodically; and pages that nobody has protected yet. */
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "tracker.h"

/* Lists a context's scan list, from the top down; returns the number of its pages. */
static u32 list_pages(struct tracker *tracker, unsigned int context)
{
	const struct tracker_stack *stack = &tracker->stack[context];
	u32 frame = stack->newest, count;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	for (count = 0; count < stack->permitted; count++) {
		tracker->listed[count] = frame;
		frame = tracker->page[frame].older;
	}
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	return count;
}

/* Caller holds @lock. */
static void scan_page(struct tracker *tracker, unsigned int context, u32 frame, bool accessed)
{
	struct tracker_page *page = &tracker->page[frame];

	if (page->context != context || !page->permitted)
		return; /* freed meanwhile */
	if (accessed && !page->faulted) {
		tracker_note(tracker, TRACKER_ACCESSED, frame, page->group);
		tracker_count_scanned(tracker, frame);
	}
	page->faulted = false;
}

static void scan_context(struct tracker *tracker, unsigned int context, struct mm_struct **mm)
{
	u32 count = list_pages(tracker, context), number;

	for (number = 0; number < count; number++) {
		u32 frame = tracker->listed[number];
		struct tracker_place place;
		unsigned long flags;
		bool accessed;

		raw_spin_lock_irqsave(&tracker->lock, flags);
		place = tracker->page[frame].place;
		raw_spin_unlock_irqrestore(&tracker->lock, flags);
		accessed = mm[place.space] &&
			   tracker_entry_accessed(mm[place.space],
						  (unsigned long)place.address << PAGE_SHIFT,
						  frame + tracker->first_pfn);
		raw_spin_lock_irqsave(&tracker->lock, flags);
		tracker->events.scanned++;
		scan_page(tracker, context, frame, accessed);
		raw_spin_unlock_irqrestore(&tracker->lock, flags);
	}
}

/* Protects the pages that left a scan list while another memory was active. */
static void protect_leaving(struct tracker *tracker, struct mm_struct **mm)
{
	u32 frame;

	for (frame = 0; frame < tracker->frames && tracker->leaving; frame++) {
		struct tracker_page *page = &tracker->page[frame];
		struct tracker_place place;
		unsigned long flags;
		bool leaving;

		raw_spin_lock_irqsave(&tracker->lock, flags);
		place = page->place;
		leaving = page->leaving && mm[place.space];
		if (leaving) {
			page->leaving = false;
			tracker->leaving--;
		}
		raw_spin_unlock_irqrestore(&tracker->lock, flags);
		if (leaving)
			tracker_entry_protect(mm[place.space],
					      (unsigned long)place.address << PAGE_SHIFT,
					      frame + tracker->first_pfn);
	}
}

static void get_spaces(struct tracker *tracker, struct mm_struct **mm)
{
	unsigned int space;

	for (space = 0; space < TRACKER_SPACES; space++)
		mm[space] = tracker_space_get(tracker, space);
}

static void put_spaces(struct mm_struct **mm)
{
	unsigned int space;

	for (space = 0; space < TRACKER_SPACES; space++)
		if (mm[space])
			tracker_space_put(mm[space]);
}

void tracker_scan(struct tracker *tracker)
{
	struct mm_struct *mm[TRACKER_SPACES];
	unsigned int context;
	unsigned long flags;

	tracker_spaces_check(tracker);
	get_spaces(tracker, mm);
	protect_leaving(tracker, mm);
	for (context = 1; context < TRACKER_CONTEXTS; context++)
		if (tracker->stack[context].permitted)
			scan_context(tracker, context, mm);
	raw_spin_lock_irqsave(&tracker->lock, flags);
	tracker->events.scans++;
	tracker_note(tracker, TRACKER_SCAN, 0, 0);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	put_spaces(mm);
}

/* A scan in a period, if there are pages to scan: each costs two task switches. */
void tracker_scan_later(struct tracker *tracker)
{
	unsigned int context;

	for (context = 1; tracker->period_ms && context < TRACKER_CONTEXTS; context++)
		if (tracker->stack[context].permitted) {
			tracker->wanted |= TRACKER_WANTS_SCAN;
			return;
		}
}

u32 tracker_take_wanted(struct tracker *tracker)
{
	u32 wanted = tracker->wanted;

	tracker->wanted = 0;
	return wanted;
}

/*
 * A wake-up of a worker takes the run queue's lock, and the scheduler's hook takes @lock with that
 * one held. So work is wanted under @lock, and scheduled after it: by a fault, or the next tick.
 */
void tracker_schedule(struct tracker *tracker, u32 wanted)
{
	if (wanted & TRACKER_WANTS_SCAN)
		schedule_delayed_work(&tracker->scan, msecs_to_jiffies(tracker->period_ms));
	if (wanted & TRACKER_WANTS_LEAVE)
		schedule_work(&tracker->leave);
	if (wanted & TRACKER_WANTS_SWEEP)
		schedule_work(&tracker->sweep);
}

void tracker_scan_work(struct work_struct *work)
{
	struct tracker *tracker = container_of(work, struct tracker, scan.work);
	unsigned long flags;
	u32 wanted = 0;

	mutex_lock(&tracker->settings);
	if (tracker->watching && tracker->control & LITEMRC_CONTROL_ENABLE) {
		tracker_scan(tracker);
		raw_spin_lock_irqsave(&tracker->lock, flags);
		tracker_scan_later(tracker);
		wanted = tracker_take_wanted(tracker);
		raw_spin_unlock_irqrestore(&tracker->lock, flags);
	}
	mutex_unlock(&tracker->settings);
	tracker_schedule(tracker, wanted);
}

/* Pages that left a scan list: their protection does not wait for the next scan. */
void tracker_leave_work(struct work_struct *work)
{
	struct tracker *tracker = container_of(work, struct tracker, leave);
	struct mm_struct *mm[TRACKER_SPACES];

	mutex_lock(&tracker->settings);
	if (tracker->watching && tracker->control & LITEMRC_CONTROL_ENABLE) {
		get_spaces(tracker, mm);
		protect_leaving(tracker, mm);
		put_spaces(mm);
	}
	mutex_unlock(&tracker->settings);
}

struct sweep {
	struct tracker *tracker;
	unsigned int space;
};

/* A page that may be accessed unseen: not in a scan list, or mapped elsewhere. */
static bool choose(void *data, unsigned long address, unsigned long pfn)
{
	struct sweep *sweep = data;
	struct tracker *tracker = sweep->tracker;
	unsigned long frame = pfn - tracker->first_pfn;
	const struct tracker_page *page;

	if (frame < tracker->lower || frame > tracker->upper || frame >= tracker->frames)
		return false;
	page = &tracker->page[frame];
	return !page->permitted || page->place.space != sweep->space ||
	       page->place.address != address >> PAGE_SHIFT;
}

void tracker_sweep(struct tracker *tracker)
{
	struct sweep sweep = { .tracker = tracker };

	tracker_spaces_check(tracker);
	for (; sweep.space < TRACKER_SPACES; sweep.space++) {
		struct mm_struct *mm = tracker_space_get(tracker, sweep.space);

		if (!mm)
			continue;
		tracker_entries_protect(mm, choose, &sweep);
		tracker_space_put(mm);
	}
}

void tracker_sweep_work(struct work_struct *work)
{
	struct tracker *tracker = container_of(work, struct tracker, sweep);

	mutex_lock(&tracker->settings);
	if (tracker->watching && tracker->control & LITEMRC_CONTROL_ENABLE)
		tracker_sweep(tracker);
	mutex_unlock(&tracker->settings);
}
