// SPDX-License-Identifier: GPL-2.0
/* Accesses that fault: protection faults, and faults that bring a page. */
#include <linux/mm.h>
#include <linux/platform_device.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "tracker.h"

static bool tracker_takes_part(const struct tracker *tracker,
			       unsigned long frame)
{
	return frame >= tracker->lower && frame <= tracker->upper;
}

/* Returns the frame to protect, or TRACKER_NONE. Caller holds @lock. */
static u32 tracker_count_access(struct tracker *tracker, struct mm_struct *mm,
				unsigned long address, u32 frame,
				struct tracker_place *leaves)
{
	unsigned int context = litemrc_current_context(&tracker->device->dev);
	struct tracker_page *page = &tracker->page[frame];
	u32 group, left;
	int space;

	if (!context || (page->permitted && page->context == context))
		return TRACKER_NONE;
	space = tracker_space_of(tracker, mm);
	if (space < 0) {
		tracker->untracked++;
		return TRACKER_NONE;
	}
	group = page->context == context ? page->group : TRACKER_NONE;
	left = tracker_access(tracker, context, frame);
	page->place = (struct tracker_place){ address >> PAGE_SHIFT, space };
	tracker_note(tracker, TRACKER_FAULT, frame, group);
	if (tracker_scans(tracker) && !delayed_work_pending(&tracker->scan))
		tracker->wanted |= TRACKER_WANTS_SCAN;
	if (left == TRACKER_NONE)
		return left;
	*leaves = tracker->page[left].place;
	if (tracker->space[leaves->space] == mm)
		return left;
	if (!atomic_read(&tracker->space[leaves->space]->mm_users))
		return TRACKER_NONE; /* its processes have ended */
	/* Another memory's lock may sleep. */
	tracker->page[left].leaving = true;
	tracker->leaving++;
	tracker->wanted |= TRACKER_WANTS_LEAVE;
	return TRACKER_NONE;
}

/* With preemption disabled, and the mmap lock. */
static void tracker_count_fault(struct tracker *tracker, struct mm_struct *mm,
				unsigned long address)
{
	struct tracker_table table = {};
	enum tracker_entry_state state;
	struct tracker_place leaves;
	unsigned long irq_flags, pfn, frame;
	u32 left = TRACKER_NONE, wanted;

	state = tracker_entry_permit(&table, mm, address,
				     READ_ONCE(tracker->accessed_bits) ==
					     TRACKER_UNKNOWN,
				     &pfn);
	frame = pfn - tracker->first_pfn;
	if (state == TRACKER_ABSENT || frame >= tracker->frames ||
	    !pfn_valid(pfn) || is_zero_pfn(pfn))
		return;
	raw_spin_lock_irqsave(&tracker->lock, irq_flags);
	tracker->events.faults += state == TRACKER_PROTECTED;
	if (tracker->control & LITEMRC_CONTROL_ENABLE &&
	    tracker_takes_part(tracker, frame))
		left = tracker_count_access(tracker, mm, address, frame,
					    &leaves);
	wanted = tracker_take_wanted(tracker);
	raw_spin_unlock_irqrestore(&tracker->lock, irq_flags);
	if (wanted)
		tracker_schedule(tracker, wanted);
	if (left != TRACKER_NONE)
		tracker_entry_protect(&table, mm, leaves.page << PAGE_SHIFT,
				      left + tracker->first_pfn);
}

/*
 * With the mmap lock unless the fault handler has dropped it: to retry, or
 * behind the first write to a shared page. Such a page waits for a sweep if the
 * lock is taken. Preemption is disabled, as 7.2 calls tracepoints with it: no
 * other task may free a page between its entry and its stack.
 */
static void tracker_on_fault(void *data, unsigned long address,
			     unsigned int flags, vm_fault_t ret)
{
	struct mm_struct *mm = current->mm;

	if (!mm || flags & FAULT_FLAG_REMOTE ||
	    ret & (VM_FAULT_ERROR | VM_FAULT_RETRY))
		return;
	if (ret & VM_FAULT_COMPLETED && !mmap_read_trylock(mm))
		return;
	preempt_disable();
	tracker_count_fault(data, mm, address & PAGE_MASK);
	preempt_enable();
	if (ret & VM_FAULT_COMPLETED)
		mmap_read_unlock(mm);
}

/*
 * While pages are given back: a new process has inherited those that its parent
 * has not been given back yet. It does not run yet, so its memory is locked by
 * nobody, unless it is its parent's.
 */
static void tracker_on_fork(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	struct tracker *tracker = data;
	struct mm_struct *mm = child->mm;

	if (!mm || same_thread_group(parent, child))
		return;
	if (!mmap_read_trylock(mm)) {
		WRITE_ONCE(tracker->missed, true);
		return;
	}
	tracker_entries_permit(mm, false);
	mmap_read_unlock(mm);
}

static void tracker_find(struct tracepoint *tracepoint, void *data)
{
	struct tracker *tracker = data;

	check_trace_callback_type_sched_process_fork(tracker_on_fork);
	if (!strcmp(tracepoint->name, "mm_fault"))
		tracker->fault = tracepoint;
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		tracker->fork = tracepoint;
}

/**
 * tracker_find_tracepoint() - find the tracepoints of page faults and forks
 * @tracker: the tracker
 *
 * Return: 0, or -ENODEV in a kernel without fault-tracepoint.patch
 */
int tracker_find_tracepoint(struct tracker *tracker)
{
	for_each_kernel_tracepoint(tracker_find, tracker);
	return tracker->fault && tracker->fork ? 0 : -ENODEV;
}

static int tracker_watch(struct tracker *tracker)
{
	int ret;

	if (tracker->watching || !tracker->running || !tracker->used)
		return 0;
	ret = tracepoint_probe_register(tracker->fault, tracker_on_fault,
					tracker);
	if (ret)
		return ret;
	tracker->watching = true;
	schedule_work(&tracker->sweep);
	tracker_interrupt_check(tracker);
	return 0;
}

/**
 * tracker_start() - watch page faults from the first followed process on
 * @tracker: the tracker
 *
 * Context: Caller holds @tracker->settings.
 * Return: 0 or a negative error
 */
int tracker_start(struct tracker *tracker)
{
	int ret;

	tracker->running = true;
	ret = tracker_watch(tracker);
	tracker->running = !ret;
	return ret;
}

/**
 * tracker_follow() - a process is about to be followed
 * @tracker: the tracker
 *
 * Before the first one page faults cost nothing.
 *
 * Context: Caller holds @tracker->settings.
 * Return: 0 or a negative error
 */
int tracker_follow(struct tracker *tracker)
{
	tracker->used = true;
	return tracker_watch(tracker);
}

/* Returns the number of pages that were protected, in all processes. */
static u32 tracker_permit_all(void)
{
	struct mm_struct *mm, *last = NULL;
	struct task_struct *task;
	pid_t pid = 0;
	u32 found = 0;

	for (;;) {
		struct pid *next;

		rcu_read_lock();
		next = find_ge_pid(pid, &init_pid_ns);
		task = next ? get_pid_task(next, PIDTYPE_TGID) : NULL;
		pid = next ? pid_nr(next) + 1 : 0;
		rcu_read_unlock();
		if (!pid)
			break;
		mm = task ? get_task_mm(task) : NULL;
		if (task)
			put_task_struct(task);
		if (!mm)
			continue;
		if (mm != last) {
			mmap_read_lock(mm);
			found += tracker_entries_permit(mm, true);
			mmap_read_unlock(mm);
		}
		last = mm;
		mmput(mm);
	}
	return found;
}

/*
 * Gives back all pages; returns whether none is left. Nothing is protected any
 * more, and tracker_on_fork() gives back what is inherited, so a pass leaves
 * pages only in the memory of a process that ended during it and shared that
 * with a later child of a lower number; hence the second pass. Processes that
 * arrange for that in each pass, or without tracker_on_fork(), are not waited
 * for.
 */
static bool tracker_give_back(struct tracker *tracker)
{
	int forks = tracepoint_probe_register(tracker->fork, tracker_on_fork,
					      tracker);
	unsigned int pass;
	bool any = true;

	for (pass = 0; any && pass < TRACKER_PASSES; pass++) {
		WRITE_ONCE(tracker->missed, false);
		any = tracker_permit_all();
		any |= READ_ONCE(tracker->missed);
	}
	if (!forks)
		tracepoint_probe_unregister(tracker->fork, tracker_on_fork,
					    tracker);
	return !any;
}

static void tracker_unwatch(struct tracker *tracker)
{
	tracepoint_probe_unregister(tracker->fault, tracker_on_fault, tracker);
	tracepoint_synchronize_unregister();
	tracker->watching = false;
	tracker_spaces_free(tracker);
}

/**
 * tracker_stop() - give back all pages, and watch page faults no longer
 * @tracker: the tracker, which is disabled
 *
 * If pages may be left, the tracepoint stays, which gives them back when they
 * are accessed.
 *
 * Context: Caller holds @tracker->settings.
 */
void tracker_stop(struct tracker *tracker)
{
	tracker->running = false;
	if (!tracker->watching)
		return;
	if (tracker_give_back(tracker))
		tracker_unwatch(tracker);
	else
		pr_warn("litemrc_os: processes were forked too fast in %u passes: page faults cost time until the tracker is enabled and disabled again\n",
			TRACKER_PASSES);
}

/**
 * tracker_exit_watch() - give back all pages: the module goes
 * @tracker: the tracker; nothing else uses it
 */
void tracker_exit_watch(struct tracker *tracker)
{
	if (!tracker->watching)
		return;
	if (!tracker_give_back(tracker))
		pr_err("litemrc_os: pages of a process may be left protected: a process that hangs in page faults has to be killed\n");
	tracker_unwatch(tracker);
}
