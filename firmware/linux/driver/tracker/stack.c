// SPDX-License-Identifier: GPL-2.0
/*
 * LRU stacks of frames, with the group of each page and the scan list at the
 * top; the counts of accesses to them.
 */
#include "tracker.h"

/**
 * tracker_stacks_clear() - forget all pages
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->lock, or nothing else uses the tracker yet.
 */
void tracker_stacks_clear(struct tracker *tracker)
{
	unsigned int context, group;

	for (context = 0; context < TRACKER_CONTEXTS; context++) {
		struct tracker_stack *stack = &tracker->stack[context];

		*stack = (struct tracker_stack){ TRACKER_NONE, TRACKER_NONE, 0,
						 0, TRACKER_NONE };
		for (group = 0; group < TRACKER_GROUPS; group++)
			stack->first[group] = TRACKER_NONE;
	}
	memset(tracker->page, 0,
	       array_size(tracker->frames, sizeof(*tracker->page)));
	tracker->leaving = 0;
}

static void tracker_unlink(struct tracker *tracker, struct tracker_stack *stack,
			   u32 frame)
{
	struct tracker_page *page = &tracker->page[frame];

	if (page->newer == TRACKER_NONE)
		stack->newest = page->older;
	else
		tracker->page[page->newer].older = page->older;
	if (page->older == TRACKER_NONE)
		stack->oldest = page->newer;
	else
		tracker->page[page->older].newer = page->newer;
}

static void tracker_push(struct tracker *tracker, struct tracker_stack *stack,
			 u32 frame)
{
	struct tracker_page *page = &tracker->page[frame];

	page->newer = TRACKER_NONE;
	page->older = stack->newest;
	if (stack->newest == TRACKER_NONE)
		stack->oldest = frame;
	else
		tracker->page[stack->newest].newer = frame;
	stack->newest = frame;
	page->group = 0;
	stack->first[0] = frame;
}

/*
 * One page more above them: the last page of each group to `last` becomes the
 * first of the next.
 */
static void tracker_push_down(struct tracker *tracker,
			      struct tracker_stack *stack, unsigned int last)
{
	unsigned int group;

	for (group = last; group; group--) {
		u32 first = stack->first[group];

		first = first == TRACKER_NONE ? stack->oldest :
						tracker->page[first].newer;
		tracker->page[first].group = group;
		stack->first[group] = first;
	}
	tracker->events.crossed += last;
}

static void tracker_move_to_top(struct tracker *tracker,
				struct tracker_stack *stack, u32 frame)
{
	if (stack->newest == frame)
		return;
	tracker_push_down(tracker, stack, tracker->page[frame].group);
	if (stack->last_permitted == frame)
		stack->last_permitted = tracker->page[frame].newer;
	tracker_unlink(tracker, stack, frame);
	tracker_push(tracker, stack, frame);
}

static void tracker_add(struct tracker *tracker, unsigned int context,
			u32 frame)
{
	struct tracker_stack *stack = &tracker->stack[context];

	/* The last group has no end. */
	tracker_push_down(tracker, stack,
			  min(stack->pages / tracker->group_pages,
			      tracker->last_group));
	tracker->page[frame].context = context;
	tracker_push(tracker, stack, frame);
	stack->pages++;
}

static void tracker_leave_list(struct tracker_stack *stack,
			       struct tracker *tracker, u32 frame)
{
	struct tracker_page *page = &tracker->page[frame];

	if (!page->permitted)
		return;
	page->permitted = false;
	stack->permitted--;
	if (stack->last_permitted == frame)
		stack->last_permitted = page->newer;
}

/**
 * tracker_forget() - take a page out of its stack
 * @tracker: the tracker
 * @frame: of the page; it was freed, or belongs to another context from now on
 *
 * Context: Caller holds @tracker->lock.
 */
void tracker_forget(struct tracker *tracker, u32 frame)
{
	struct tracker_page *page = &tracker->page[frame];
	struct tracker_stack *stack = &tracker->stack[page->context];
	unsigned int group;

	if (!page->context)
		return;
	tracker->leaving -= page->leaving;
	tracker_leave_list(stack, tracker, frame);
	for (group = page->group + 1; group <= tracker->last_group; group++) {
		u32 first = stack->first[group];

		if (first == TRACKER_NONE)
			break;
		tracker->page[first].group = group - 1;
		stack->first[group] = tracker->page[first].older;
	}
	if (stack->first[page->group] == frame)
		stack->first[page->group] = page->older;
	tracker_unlink(tracker, stack, frame);
	stack->pages--;
	*page = (struct tracker_page){};
}

/**
 * tracker_list() - list the pages at the top of a stack, from the top down
 * @tracker: the tracker
 * @context: of the stack
 * @all: all pages, or those of the scan list
 *
 * Context: Caller holds @tracker->settings, not @tracker->lock.
 * Return: their number; their frames are in @tracker->listed
 */
u32 tracker_list(struct tracker *tracker, unsigned int context, bool all)
{
	const struct tracker_stack *stack = &tracker->stack[context];
	unsigned long flags;
	u32 frame, pages, count;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	frame = stack->newest;
	pages = all ? stack->pages : stack->permitted;
	for (count = 0; count < pages; count++) {
		tracker->listed[count] = frame;
		frame = tracker->page[frame].older;
	}
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	return pages;
}

/**
 * tracker_note() - add an entry to the log of a test
 * @tracker: the tracker
 * @kind: of the entry
 * @frame: of the page
 * @group: of its stack; TRACKER_NONE: a miss
 *
 * Context: Caller holds @tracker->lock.
 */
void tracker_note(struct tracker *tracker, enum tracker_kind kind, u32 frame,
		  u32 group)
{
	if (tracker->log && tracker->logged < TRACKER_LOG_ENTRIES)
		tracker->log[tracker->logged++] = (struct tracker_entry){
			.page = tracker->page[frame].place.page,
			.kind = kind,
			.frame = frame,
			.group = group,
		};
}

/* Counts an access to a page in a group of its stack; TRACKER_NONE: a miss. */
static void tracker_count(struct tracker *tracker, unsigned int context,
			  u32 frame, u32 group)
{
	struct tracker_row *row = &tracker->row[context];
	struct tracker_page *page = &tracker->page[frame];

	if (tracker->shot || tracker->control & LITEMRC_CONTROL_FREEZE)
		return;
	if (group == TRACKER_NONE)
		row->misses++;
	else
		row->hits[group]++;
	row->touched += page->epoch != tracker->epoch + 1;
	page->epoch = tracker->epoch + 1;
}

/**
 * tracker_access() - an access to a page that is not in the scan list
 * @tracker: the tracker
 * @context: of the process
 * @frame: of the page
 *
 * Counts it and puts the page on top of the stack.
 *
 * Context: Caller holds @tracker->lock.
 * Return: the frame that leaves the scan list for it, which the caller
 * protects, or TRACKER_NONE
 */
u32 tracker_access(struct tracker *tracker, unsigned int context, u32 frame)
{
	struct tracker_stack *stack = &tracker->stack[context];
	struct tracker_page *page = &tracker->page[frame];
	u32 leaves = TRACKER_NONE;

	if (page->context != context) {
		tracker_forget(tracker, frame);
		tracker_count(tracker, context, frame, TRACKER_NONE);
		tracker_add(tracker, context, frame);
	} else {
		tracker->leaving -= page->leaving;
		page->leaving = false;
		tracker_count(tracker, context, frame, page->group);
		tracker_move_to_top(tracker, stack, frame);
	}
	page->faulted = tracker->events.scans + 1;
	if (stack->permitted == tracker->scan_list) {
		leaves = stack->last_permitted;
		tracker_leave_list(stack, tracker, leaves);
	}
	page->permitted = true;
	if (!stack->permitted++)
		stack->last_permitted = frame;
	return leaves;
}

/**
 * tracker_count_scanned() - count a page whose accessed bit a scan found set
 * @tracker: the tracker
 * @frame: of the page
 *
 * In the first group the order stays.
 *
 * Context: Caller holds @tracker->lock.
 */
void tracker_count_scanned(struct tracker *tracker, u32 frame)
{
	struct tracker_page *page = &tracker->page[frame];

	tracker->events.accessed++;
	tracker_count(tracker, page->context, frame, page->group);
	if (page->group)
		tracker_move_to_top(tracker, &tracker->stack[page->context],
				    frame);
}
