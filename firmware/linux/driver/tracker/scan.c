// SPDX-License-Identifier: GPL-2.0
/*
 * Accessed bits of the scan lists, read periodically; and pages that nobody has
 * protected yet.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "tracker.h"

struct scan {
	struct tracker *tracker;
	/* with their mmap locks, or NULL */
	struct mm_struct *mm[TRACKER_SPACES];
	struct tracker_table table;
	bool by_bitmap;
};

/*
 * Was the page accessed since it was asked last? By a monitor's bitmap, or by
 * the accessed bit of its entry, without @lock: a page that moves meanwhile has
 * another frame in its entry.
 */
static bool tracker_was_accessed(struct scan *scan, u32 frame)
{
	struct tracker *tracker = scan->tracker;
	struct tracker_place place = tracker->page[frame].place;

	if (scan->by_bitmap)
		return tracker->scanned[frame / LITEMRC_BITMAP_FRAMES] &
		       BIT(frame % LITEMRC_BITMAP_FRAMES);
	return scan->mm[place.space] && !tracker->never_young &&
	       tracker_entry_accessed(&scan->table, scan->mm[place.space],
				      place.page << PAGE_SHIFT,
				      frame + tracker->first_pfn);
}

/* Caller holds @lock. */
static void tracker_count_page(struct tracker *tracker, unsigned int context,
			       u32 frame, bool accessed)
{
	struct tracker_page *page = &tracker->page[frame];

	if (page->context != context || !page->permitted)
		return; /* freed meanwhile */
	if (page->faulted == tracker->events.scans + 1) {
		tracker->faulted_pages++;
		tracker->young += accessed;
	} else if (accessed) {
		tracker_note(tracker, TRACKER_ACCESSED, frame, page->group);
		tracker_count_scanned(tracker, frame);
	}
}

static void tracker_scan_context(struct scan *scan, unsigned int context)
{
	struct tracker *tracker = scan->tracker;
	u32 count = tracker_list(tracker, context, false), number;
	bool unknown = tracker->accessed_bits == TRACKER_UNKNOWN;

	for (number = 0; number < count; number++) {
		u32 frame = tracker->listed[number];
		bool accessed = tracker_was_accessed(scan, frame);
		unsigned long flags;

		if (!accessed && !unknown)
			continue;
		raw_spin_lock_irqsave(&tracker->lock, flags);
		tracker_count_page(tracker, context, frame, accessed);
		raw_spin_unlock_irqrestore(&tracker->lock, flags);
	}
	tracker->events.scanned += count;
}

/*
 * Does the processor set accessed bits? A fault leaves the entry old, and the
 * instruction accesses the page again. So a processor that sets them has set
 * those of the pages that faulted since the last scan, unless the kernel
 * cleared one.
 */
static void tracker_detect_hw_accessed_bit(struct tracker *tracker)
{
	if (tracker->accessed_bits != TRACKER_UNKNOWN ||
	    tracker->faulted_pages < TRACKER_JUDGED_PAGES)
		return;
	tracker->accessed_bits = 2 * tracker->young < tracker->faulted_pages ?
					 TRACKER_NO :
					 TRACKER_YES;
	if (tracker->accessed_bits == TRACKER_NO)
		pr_info("litemrc_os: the processor sets no accessed bits: scans only by a monitor's bitmap\n");
}

static void tracker_protect_if_leaving(struct scan *scan, u32 frame)
{
	struct tracker *tracker = scan->tracker;
	struct tracker_page *page = &tracker->page[frame];
	struct tracker_place place;
	unsigned long flags;
	bool leaving;

	if (!READ_ONCE(page->leaving))
		return;
	raw_spin_lock_irqsave(&tracker->lock, flags);
	place = page->place;
	leaving = page->leaving && scan->mm[place.space];
	if (leaving) {
		page->leaving = false;
		tracker->leaving--;
	}
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	if (leaving)
		tracker_entry_protect(&scan->table, scan->mm[place.space],
				      place.page << PAGE_SHIFT,
				      frame + tracker->first_pfn);
}

/* Protects the pages that left a scan list while another memory was active. */
static void tracker_protect_leaving(struct scan *scan)
{
	struct tracker *tracker = scan->tracker;
	unsigned int context;
	u32 count, number;

	for (context = 1; context < TRACKER_CONTEXTS && tracker->leaving;
	     context++) {
		count = tracker_list(tracker, context, true);
		for (number = 0; number < count && tracker->leaving; number++)
			tracker_protect_if_leaving(scan,
						   tracker->listed[number]);
	}
}

static void tracker_get_spaces(struct scan *scan)
{
	unsigned int space;

	for (space = 0; space < TRACKER_SPACES; space++)
		scan->mm[space] = tracker_space_get(scan->tracker, space);
	scan->table.mm = NULL;
}

static void tracker_put_spaces(struct scan *scan)
{
	unsigned int space;

	for (space = 0; space < TRACKER_SPACES; space++)
		if (scan->mm[space])
			tracker_space_put(scan->mm[space]);
}

/**
 * tracker_scan() - look which pages of the scan lists were accessed, and count
 * them
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->settings.
 */
void tracker_scan(struct tracker *tracker)
{
	struct scan scan = { .tracker = tracker };
	unsigned int context;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	scan.by_bitmap = tracker_take_bitmap(tracker);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	tracker_spaces_check(tracker);
	tracker_get_spaces(&scan);
	tracker_protect_leaving(&scan);
	for (context = 1; context < TRACKER_CONTEXTS; context++)
		if (tracker->stack[context].permitted)
			tracker_scan_context(&scan, context);
	raw_spin_lock_irqsave(&tracker->lock, flags);
	tracker->events.scans++;
	tracker_note(tracker, TRACKER_SCAN, 0, 0);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	tracker_put_spaces(&scan);
	tracker_detect_hw_accessed_bit(tracker);
}

/**
 * tracker_scans() - look whether there are periodic scans
 * @tracker: the tracker
 *
 * Return: whether there are
 */
bool tracker_scans(const struct tracker *tracker)
{
	return tracker->period_ms && tracker->accessed_bits != TRACKER_NO;
}

/*
 * A scan in a period, if there are pages to scan: each costs two task switches.
 */
static void tracker_scan_later(struct tracker *tracker)
{
	unsigned int context;

	for (context = 1; tracker_scans(tracker) && context < TRACKER_CONTEXTS;
	     context++)
		if (tracker->stack[context].permitted) {
			tracker->wanted |= TRACKER_WANTS_SCAN;
			return;
		}
}

/**
 * tracker_take_wanted() - take the work that is wanted
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->lock.
 * Return: TRACKER_WANTS_*, for tracker_schedule()
 */
u32 tracker_take_wanted(struct tracker *tracker)
{
	u32 wanted = tracker->wanted;

	tracker->wanted = 0;
	return wanted;
}

/**
 * tracker_schedule() - schedule the work that is wanted
 * @tracker: the tracker
 * @wanted: what tracker_take_wanted() returned
 *
 * A wake-up of a worker takes the run queue's lock, and the scheduler's hook
 * takes @tracker->lock with that one held. So work is wanted under that lock,
 * and scheduled after it: by a fault, or the next tick.
 *
 * Context: Caller does not hold @tracker->lock.
 */
void tracker_schedule(struct tracker *tracker, u32 wanted)
{
	if (wanted & TRACKER_WANTS_SCAN)
		schedule_delayed_work(&tracker->scan,
				      msecs_to_jiffies(tracker->period_ms));
	if (wanted & TRACKER_WANTS_LEAVE)
		schedule_work(&tracker->leave);
	if (wanted & TRACKER_WANTS_SWEEP)
		schedule_work(&tracker->sweep);
}

/**
 * tracker_scan_work() - scan at the end of a period, or for a bitmap
 * @work: in the tracker
 */
void tracker_scan_work(struct work_struct *work)
{
	struct tracker *tracker = container_of(work, struct tracker, scan.work);
	unsigned long flags;
	u32 wanted = 0;

	mutex_lock(&tracker->settings);
	if (tracker->watching && tracker->control & LITEMRC_CONTROL_ENABLE &&
	    (tracker_scans(tracker) || READ_ONCE(tracker->passed))) {
		tracker_scan(tracker);
		raw_spin_lock_irqsave(&tracker->lock, flags);
		tracker_scan_later(tracker);
		wanted = tracker_take_wanted(tracker);
		raw_spin_unlock_irqrestore(&tracker->lock, flags);
	}
	mutex_unlock(&tracker->settings);
	tracker_schedule(tracker, wanted);
}

/**
 * tracker_leave_work() - protect the pages that left a scan list
 * @work: in the tracker
 *
 * Their protection does not wait for the next scan.
 */
void tracker_leave_work(struct work_struct *work)
{
	struct tracker *tracker = container_of(work, struct tracker, leave);
	struct scan scan = { .tracker = tracker };

	mutex_lock(&tracker->settings);
	if (tracker->watching && tracker->control & LITEMRC_CONTROL_ENABLE) {
		tracker_get_spaces(&scan);
		tracker_protect_leaving(&scan);
		tracker_put_spaces(&scan);
	}
	mutex_unlock(&tracker->settings);
}

struct sweep {
	struct tracker *tracker;
	unsigned int space;
};

/*
 * A page that may be accessed unseen: not in a scan list, or mapped elsewhere.
 */
static bool tracker_is_unknown(void *data, unsigned long address,
			       unsigned long pfn)
{
	struct sweep *sweep = data;
	struct tracker *tracker = sweep->tracker;
	unsigned long frame = pfn - tracker->first_pfn;
	const struct tracker_page *page;

	if (frame < tracker->lower || frame > tracker->upper ||
	    frame >= tracker->frames)
		return false;
	page = &tracker->page[frame];
	return !page->permitted || page->place.space != sweep->space ||
	       page->place.page != address >> PAGE_SHIFT;
}

/**
 * tracker_sweep() - protect the pages that the tracker does not know
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->settings.
 */
void tracker_sweep(struct tracker *tracker)
{
	struct sweep sweep = { .tracker = tracker };

	tracker_spaces_check(tracker);
	for (; sweep.space < TRACKER_SPACES; sweep.space++) {
		struct mm_struct *mm = tracker_space_get(tracker, sweep.space);

		if (!mm)
			continue;
		tracker_entries_protect(mm, tracker_is_unknown, &sweep);
		tracker_space_put(mm);
	}
}

/**
 * tracker_sweep_work() - protect the pages that the tracker does not know
 * @work: in the tracker
 */
void tracker_sweep_work(struct work_struct *work)
{
	struct tracker *tracker = container_of(work, struct tracker, sweep);

	mutex_lock(&tracker->settings);
	if (tracker->watching && tracker->control & LITEMRC_CONTROL_ENABLE)
		tracker_sweep(tracker);
	mutex_unlock(&tracker->settings);
}
