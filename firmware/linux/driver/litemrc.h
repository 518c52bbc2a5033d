/* SPDX-License-Identifier: GPL-2.0 */
/* The interfaces between the driver's files; README.md lists the files. */
#ifndef LITEMRC_H
#define LITEMRC_H

#include <linux/cgroup.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/kfifo.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/litex.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pgtable.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "litemrc_platform.h"
#include "litemrc_regs.h"
#include "litemrc_uapi.h"

#define LITEMRC_RING_EPOCHS 64
#define LITEMRC_CONTEXTS_MAX 32 /* the bits of a u32 */
#define LITEMRC_GROUPS_MAX 256 /* the hits attribute fits a page */
/* the slowest clock for which a wait is long enough */
#define LITEMRC_CLOCK_MHZ 25
/* between the ends of epochs, on average */
#define LITEMRC_EPOCH_INTERVAL_US 10000
#define LITEMRC_EPOCH_BURST 16 /* epochs that may end at once */
#define LITEMRC_CLAIM_ORDER_MAX LITEMRC_FIELD(U32_MAX, CLAIM_ORDER)
#define LITEMRC_RANKS_MAX 16
#define LITEMRC_NO_TGID (-1) /* of no task; the idle task's is 0 */

struct litemrc_evacuation;
struct litemrc_pmu;
struct litemrc_ranks;
struct litemrc_tails;
struct mm_struct;
struct task_struct;
struct tracepoint;

/* The parameters that the gateware was built with. */
struct litemrc_parameters {
	u32 frames;
	u32 version;
	u32 page_shift;
	u32 frames_log2;
	u32 groups;
	u32 contexts;
	u32 pages;
	u32 recent_pages;
	u32 commands; /* that can wait for the queue */
	u32 queue_depth;
	u32 engine;
	u32 ranks;
	bool claims; /* a page has an owner before its first access */
	u32 page_bitmap; /* behind the counters in the window */
	u32 hot_pages; /* of the list behind these; 0: there is none */
	/*
	 * of the DRAM, whose commands are counted behind these; 0: they are not
	 */
	u32 banks;
	u32 access_bytes; /* that a read or write moves; 0 without banks */
	u32 refresh_cycles; /* that a REFRESH takes */
	bool rows_observed; /* of the DRAM, not only its reads and writes */
};

/* The context of each task. Written under @lock, read also without it. */
struct litemrc_map {
	u8 last; /* context that follows; 0: none */
	u8 cgroups; /* contexts that follow a cgroup */
	pid_t tgid[LITEMRC_CONTEXTS_MAX]; /* by context; of a live process */
	struct cgroup *cgroup[LITEMRC_CONTEXTS_MAX];
};

/*
 * The process or cgroup that a context follows. Guarded by @lock; changed under
 * @settings, except when a process ends.
 */
struct litemrc_follower {
	enum litemrc_context_state state;
	/* either pid or cgroup, with a reference; neither when free */
	struct pid *pid;
	struct cgroup *cgroup;
	/* as of the start of following, or of the end */
	char comm[TASK_COMM_LEN];
};

/* A change of a follower that the record of an epoch must report. */
struct litemrc_change {
	u32 epoch;
	unsigned int context;
	struct litemrc_row followed;
};

/*
 * A context can start following (or be freed) and end before the record is
 * written.
 */
#define LITEMRC_CHANGES_MAX (2 * LITEMRC_CONTEXTS_MAX)

/*
 * Finished epochs; each reader reads all of them, independently of the others.
 */
struct litemrc_ring {
	struct mutex lock; /* guards all below */
	/* until an epoch is stored, the gateware stuck */
	wait_queue_head_t wait;
	/* until the window is free; apart: a wake calls whoever polls */
	wait_queue_head_t drained;
	struct list_head readers;
	void *records;
	size_t record_bytes;
	/*
	 * sysfs: of each context whose counts are not those of the last record
	 */
	u32 *rows;
	/* contexts whose follower changed at the end of the last epoch */
	u32 changed;
	u32 head; /* number of epochs stored; the last is at head - 1 */
	u32 stored; /* the gateware's number of the next one */
	u64 ended_ns; /* end of the epoch stored last */
	/* end of the epoch in the window; its event is disabled meanwhile */
	u64 interrupt_ns;
	u32 lost; /* epochs overwritten before the slowest reader read them */
	bool gone;
	/*
	 * when the epochs that have ended would have at
	 * LITEMRC_EPOCH_INTERVAL_US
	 */
	ktime_t due;
};

struct litemrc_reader {
	struct litemrc *mon;
	struct list_head node;
	struct mutex lock; /* serializes read() */
	u32 next; /* epoch to read next, counted as head */
	u32 lost; /* epochs lost since the last record was read */
	struct litemrc_epoch *record;
};

#define LITEMRC_MOVED_MAX 64

/*
 * Processes that moved into a followed cgroup, until a work item hands over
 * their pages.
 */
struct litemrc_moved {
	struct work_struct work;
	/* with references; guarded by the monitor's @lock */
	struct pid *pid[LITEMRC_MOVED_MAX];
	unsigned int count;
	/* contexts get theirs: there was no room, or pages have moved */
	int all;
};

/* a power of two; as many lines fit into a file of sysfs */
#define LITEMRC_HOT_QUEUE_PAGES 256

/* Pages with the most accesses. */
struct litemrc_hot {
	struct mutex lock; /* guards the image */
	u32 *image; /* as in sysfs; NULL: the gateware has no hot pages */
	bool kept; /* the image is an epoch's */
	/* guards the rest, and the gateware's queue */
	raw_spinlock_t queue_lock;
	DECLARE_KFIFO(queue, u32, LITEMRC_HOT_QUEUE_PAGES); /* frames */
	u32 first; /* number of the oldest frame in @queue */
	u32 queued;
	u32 lost; /* as @queue was full */
	u32 overflows; /* of the gateware's queue */
};

/* Bits of the frames. Guarded by frames.c's lock. */
struct litemrc_bitmap {
	u32 *image; /* as in sysfs; NULL: the gateware has no page bitmap */
	u32 keep; /* the image is for sysfs, too */
	bool kept; /* the image is complete */
	/* the epoch passed last is to be marked; of the interrupt's thread */
	bool marks;
};

struct litemrc_young_events {
	u64 walks; /* through all page tables */
	u64 visited; /* entries, of all walks */
	u64 marked; /* of these: accessed and not marked before */
	u64 us; /* of all walks */
};

/* Accessed bits of page table entries, set from the bits of the frames. */
struct litemrc_young {
	u32 on; /* guarded by frames.c's lock */
	/*
	 * end of the epoch before, on the scheduler's clock; for the irq thread
	 */
	u64 ended;
	struct mutex lock; /* guards the events */
	struct litemrc_young_events events;
};

/* A folder of numbered folders in sysfs: contexts/N, ranks/N. */
struct litemrc_folders {
	struct kobject *parent;
	struct kobject **child;
	unsigned int count;
};

/* Modules that add to a monitor, at most one of each. */
enum litemrc_client_kind { LITEMRC_TAIL, LITEMRC_RANKS, LITEMRC_CLIENTS };

/**
 * struct litemrc_client - a module that adds to each monitor
 * @add: a monitor is there; may fail, and the monitor works without
 * @remove: it goes, or the module; none of the other calls is under way
 * @fill: fill in a record before it is stored; holds the ring's lock; or NULL
 * @ended: what a context follows has ended; holds @lock; or NULL
 * @changed: the followers have changed, or @add is complete; holds @settings;
 *   or NULL
 * @cleared: the stacks were cleared, or the monitor disabled; holds @settings;
 *   or NULL
 */
struct litemrc_client {
	int (*add)(struct litemrc *mon);
	void (*remove)(struct litemrc *mon);
	void (*fill)(struct litemrc *mon, struct litemrc_epoch *record);
	void (*ended)(struct litemrc *mon, unsigned int context);
	void (*changed)(struct litemrc *mon);
	void (*cleared)(struct litemrc *mon);
};

struct litemrc {
	/*
	 * What the hooks of pages access, in few lines of the cache: each line
	 * costs more than all else that they do.
	 */

	/* innermost; guards map and the command registers */
	raw_spinlock_t lock;
	/*
	 * commands that find a place without a look at the status; guarded by
	 * @lock
	 */
	u32 room;
	/* times the gateware reported it; guarded by @lock */
	u32 commands_late;
	/* of the device tree's monitor; NULL: only @ops reach them */
	void __iomem *registers;
	unsigned long first_pfn;
	/*
	 * context of each frame; guarded by @lock. NULL: the monitor knows by
	 * itself
	 */
	u8 *owner;
	/* the task that allocated last, and its context; guarded by @lock */
	const struct task_struct *allocating;
	u32 allocating_context;
	/* moves pages of others, so owns none of them */
	struct task_struct *migrating;
	struct litemrc_parameters parameters;

	struct litemrc_map map;
	/* the gateware did not complete a command in time; until a clear */
	u32 stuck;
	/* reports it from a context that may print */
	struct irq_work stuck_work;
	unsigned int timeout_us;
	raw_spinlock_t events_lock; /* guards @events; innermost, too */
	u32 events; /* as in EV_ENABLE */
	u32 commands_lost; /* as @commands_late */
	u64 cleared_ns; /* time of the last clear; guarded by @lock */
	u32 lost_recorded; /* commands_lost as of the last record */
	const struct litemrc_ops *ops;
	void *io;
	struct litemrc_follower follower[LITEMRC_CONTEXTS_MAX];
	/* not reported yet, oldest first */
	struct litemrc_change change[LITEMRC_CHANGES_MAX];
	unsigned int changes;

	struct mutex settings; /* guards everything that users write */
	bool enabled; /* by a user, whatever CONTROL holds now */
	bool probing; /* the tracepoints of an enabled monitor are registered */
	struct litemrc_moved moved;
	struct list_head node; /* in core.c's list of monitors */
	/*
	 * The modules that add to it. Changed with @settings, the ring's lock
	 * and @lock held.
	 */
	const struct litemrc_client *client[LITEMRC_CLIENTS];
	struct litemrc_tails *tails; /* of litemrc_tail */
	struct litemrc_ranks *ranks; /* of litemrc_ranks */
	u32 rank_room; /* ranks that a record has room for */
	u32 domains; /* ranks in a record while litemrc_ranks adds to it */
	struct litemrc_ring ring;
	struct litemrc_bitmap bitmap;
	struct litemrc_hot hot;
	struct litemrc_young young;
	struct litemrc_pmu *pmu; /* NULL: none */
	/* in frames.c's list of those that take such bits */
	struct list_head consumer;
	struct litemrc_folders contexts;
	/* notified at the first epoch after a read */
	struct kernfs_node *epoch_node;
	bool epoch_read; /* since it was notified */
	ktime_t loaded;
	struct device *dev;
	struct miscdevice misc;
	char name[16];
	int id;
	int irq;
	struct kref kref; /* held by the driver and by each open file */
};

/* core.c */
int litemrc_client_register(enum litemrc_client_kind kind,
			    const struct litemrc_client *client);
void litemrc_client_unregister(enum litemrc_client_kind kind);

/* Has the modules that add to the monitor do something, if they can. */
#define litemrc_call_clients(mon, call, ...)                                \
	do {                                                                \
		const struct litemrc_client *const *client = (mon)->client; \
		for (; client != (mon)->client + LITEMRC_CLIENTS; client++) \
			if (*client && (*client)->call)                     \
				(*client)->call(mon, ##__VA_ARGS__);        \
	} while (0)

/* registers.c */
extern const struct litemrc_ops litemrc_mmio_ops;

struct litemrc_mmio {
	void __iomem *registers;
	void __iomem *window;
	resource_size_t window_bytes;
};

static inline u32 litemrc_read(const struct litemrc *mon, unsigned int offset)
{
	return mon->registers ? litex_read32(mon->registers + offset) :
				mon->ops->read(mon->io, offset);
}

static __always_inline void litemrc_write(struct litemrc *mon,
					  unsigned int offset, u32 value)
{
	if (mon->registers)
		litex_write32(mon->registers + offset, value);
	else
		mon->ops->write(mon->io, offset, value);
}

int litemrc_read_parameters(struct litemrc *mon);
void litemrc_set_control(struct litemrc *mon, u32 mask, u32 value);
void litemrc_command(struct litemrc *mon, u32 command);
void litemrc_set_events(struct litemrc *mon, u32 mask, u32 value);
void litemrc_invalidate_locked(struct litemrc *mon, u32 frame);
void litemrc_claim_locked(struct litemrc *mon, u32 frame, unsigned int order,
			  unsigned int context);
int litemrc_wait_invalidated(struct litemrc *mon);
void litemrc_clear_locked(struct litemrc *mon);
void litemrc_check_commands(struct litemrc *mon, u32 status);
int litemrc_poll_status(struct litemrc *mon,
			bool (*is_done)(u32 status, u32 mask, u32 value),
			u32 mask, u32 value, u32 *status);
int litemrc_wait_status(struct litemrc *mon, u32 mask, u32 value);
void litemrc_set_stuck(struct litemrc *mon);

/* settings.c */
int litemrc_enable(struct litemrc *mon, u32 on);
int litemrc_set_epoch_length(struct litemrc *mon, u32 length);
void litemrc_set_epoch_unit(struct litemrc *mon, bool cycles);
int litemrc_set_range(struct litemrc *mon, u32 lower, u32 upper);
int litemrc_set_sampling(struct litemrc *mon, u32 sampling);
int litemrc_set_quiet(struct litemrc *mon, u32 offset, u32 value);
int litemrc_set_split(struct litemrc *mon, u32 on);
int litemrc_clear(struct litemrc *mon);
int litemrc_end_epoch(struct litemrc *mon);

/* Page groups of a tail: as many beyond the memory as in it, if they fit. */
static inline u32 litemrc_tail_groups(const struct litemrc *mon)
{
	return min_t(u32, 2 * mon->parameters.groups, LITEMRC_TAIL_GROUPS_MAX);
}

/* ring.c */
int litemrc_ring_init(struct litemrc *mon);
/*
 * A record in the ring has a row for each context: that of one, its counts, a
 * rank, and a bank.
 */
static inline struct litemrc_row *
litemrc_record_row(const struct litemrc_epoch *record, u32 context)
{
	const struct litemrc_part *parts = litemrc_parts(record);

	return (void *)(parts + record->parts) + context * parts[0].item_bytes;
}

static inline u32 *litemrc_record_counts(const struct litemrc_epoch *record,
					 u32 context)
{
	return (u32 *)(litemrc_record_row(record, context) + 1);
}

static inline struct litemrc_rank *
litemrc_record_rank(const struct litemrc_epoch *record, u32 rank)
{
	u32 ranks;

	return (struct litemrc_rank *)litemrc_part(record, LITEMRC_PART_RANKS,
						   &ranks) +
	       rank;
}

static inline struct litemrc_bank *
litemrc_record_bank(const struct litemrc_epoch *record, u32 bank)
{
	u32 banks;

	return (struct litemrc_bank *)litemrc_part(record, LITEMRC_PART_BANKS,
						   &banks) +
	       bank;
}

u32 litemrc_epoch_least(const struct litemrc *mon);
irqreturn_t litemrc_epoch_interrupt(int irq, void *data);
irqreturn_t litemrc_epoch_thread(int irq, void *data);
int litemrc_wait_drained(struct litemrc *mon);
int litemrc_wait_stored(struct litemrc *mon, u32 epoch);
void litemrc_ring_stop(struct litemrc *mon);
bool litemrc_ring_has(struct litemrc_reader *reader);
bool litemrc_ring_fetch(struct litemrc_reader *reader);
const u32 *litemrc_ring_row(struct litemrc *mon, unsigned int context);
const struct litemrc_epoch *litemrc_ring_last(struct litemrc *mon);

u32 litemrc_window_end(const struct litemrc_parameters *parameters);

int litemrc_settle_locked(struct litemrc *mon);
u32 litemrc_end_epoch_locked(struct litemrc *mon);
u32 litemrc_change_locked(struct litemrc *mon, unsigned int context);
u32 litemrc_fill_followed(struct litemrc *mon, const struct litemrc_epoch *last,
			  struct litemrc_epoch *record);

/* chardev.c */
extern const struct file_operations litemrc_fops;
void litemrc_put(struct litemrc *mon);

/* sysfs.c, frames.c, hot_files.c, contexts.c */
extern const struct attribute_group *litemrc_groups[];
extern const struct attribute_group litemrc_bitmap_group;
extern const struct attribute_group litemrc_feed_group;
extern const struct attribute_group litemrc_hot_group;
extern const struct attribute_group litemrc_context_group;

static inline struct litemrc *litemrc_of_device(struct device *device)
{
	return container_of((struct miscdevice *)dev_get_drvdata(device),
			    struct litemrc, misc);
}

int litemrc_add_folders(struct litemrc *mon, struct litemrc_folders *folders,
			const char *name, unsigned int count,
			const struct attribute_group *group);
void litemrc_remove_folders(struct litemrc_folders *folders);
struct litemrc *litemrc_of_folder(struct kobject *kobj, unsigned int *number);

/* follow.c */
int litemrc_follow_init(struct litemrc *mon);
int litemrc_follow_start(struct litemrc *mon);
void litemrc_follow_stop(struct litemrc *mon);
int litemrc_follow_pid(struct litemrc *mon, unsigned int context, pid_t nr);
int litemrc_follow_cgroup(struct litemrc *mon, unsigned int context,
			  const char *path);
int litemrc_free_context(struct litemrc *mon, unsigned int context);
void litemrc_check_removed(struct litemrc *mon, unsigned int context);

/* cgroups.c */
struct cgroup *litemrc_cgroup_get(const char *path);
unsigned int litemrc_cgroup_context(const struct litemrc_map *map,
				    struct task_struct *task);
bool litemrc_cgroup_followed(const struct litemrc_map *map,
			     struct cgroup *cgroup);
bool litemrc_cgroup_holds(struct cgroup *cgroup, struct task_struct *task);
bool litemrc_cgroup_removed(struct cgroup *cgroup);
int litemrc_cgroup_path(struct cgroup *cgroup, char *text, size_t bytes);
void litemrc_cgroup_hold(struct cgroup *cgroup);
void litemrc_cgroup_put(struct cgroup *cgroup);

/* Returns the context that follows a task's process, or 0. */
static __always_inline unsigned int
litemrc_process_context(const struct litemrc_map *map,
			const struct task_struct *task)
{
	unsigned int context;

	for (context = READ_ONCE(map->last); context; context--)
		if (READ_ONCE(map->tgid[context]) == task->tgid)
			break;
	return context;
}

/*
 * Returns the context of a task, as of some moment unless the caller holds
 * @lock.
 */
static inline unsigned int litemrc_context_of(const struct litemrc_map *map,
					      struct task_struct *task)
{
	unsigned int context = litemrc_process_context(map, task);

	return context || !READ_ONCE(map->cgroups) ?
		       context :
		       litemrc_cgroup_context(map, task);
}

/* pages.c */
int litemrc_probes_find(struct litemrc *mon);
int litemrc_probes_register(struct litemrc *mon);
void litemrc_probes_unregister(struct litemrc *mon);
int litemrc_owners_init(struct litemrc *mon);
void litemrc_owners_free(struct litemrc *mon);
void litemrc_owners_reset_locked(struct litemrc *mon);
void litemrc_owners_restore(struct litemrc *mon);
void litemrc_owners_release(struct litemrc *mon, unsigned int context);
void litemrc_invalidate(struct litemrc *mon, u32 frame);
void litemrc_hand_over(struct litemrc *mon, unsigned int context);
void litemrc_hand_over_all(struct litemrc *mon);
void litemrc_moved_init(struct litemrc *mon);
void litemrc_moved_stop(struct litemrc *mon);

/* frames.c */
int litemrc_bitmap_init(struct litemrc *mon);
void litemrc_bitmap_stop(struct litemrc *mon);
void litemrc_bitmap_free(struct litemrc *mon);
void litemrc_bitmap_pass(struct litemrc *mon);
void litemrc_bitmap_mark(struct litemrc *mon);

/* hot.c */
int litemrc_hot_init(struct litemrc *mon);
u32 litemrc_hot_image_words(const struct litemrc *mon);
bool litemrc_hot_take(struct litemrc *mon, unsigned int most);
void litemrc_hot_free(struct litemrc *mon);
void litemrc_hot_quiet(struct litemrc *mon);
void litemrc_hot_pass(struct litemrc *mon);
bool litemrc_hot_drain(struct litemrc *mon);
bool litemrc_hot_interrupt(struct litemrc *mon);

/* pmu.c */
#ifdef CONFIG_PERF_EVENTS
void litemrc_pmu_bind(struct litemrc *mon);
void litemrc_pmu_update(struct litemrc *mon);
void litemrc_pmu_unbind(struct litemrc *mon);
void litemrc_pmu_add(struct litemrc *mon, const struct litemrc_epoch *record);
void litemrc_pmus_free(void);
#else
static inline void litemrc_pmu_bind(struct litemrc *mon)
{
}

static inline void litemrc_pmu_update(struct litemrc *mon)
{
}

static inline void litemrc_pmu_unbind(struct litemrc *mon)
{
}

static inline void litemrc_pmu_add(struct litemrc *mon,
				   const struct litemrc_epoch *record)
{
}

static inline void litemrc_pmus_free(void)
{
}
#endif

/* mm.c */
/* Visits consecutive entries of a table, with the table's lock held. */
typedef void litemrc_visit(void *data, pte_t *entry, unsigned int count);

/* How a walk takes the mmap lock. */
enum litemrc_walk_lock {
	LITEMRC_WALK_TRY, /* not if it is taken */
	LITEMRC_WALK_SHARED,
	/* no page fault is under way: all pages are in the tables */
	LITEMRC_WALK_ALONE,
};

pte_t *litemrc_find_pte(struct mm_struct *mm, unsigned long address,
			pmd_t **table);
unsigned long litemrc_end_of_table(unsigned long address, unsigned long end);
void litemrc_walk_task(struct task_struct *task, enum litemrc_walk_lock how,
		       litemrc_visit *visit, void *data);
int litemrc_walk_context(struct litemrc *mon, unsigned int context,
			 enum litemrc_walk_lock how, litemrc_visit *visit,
			 void *data);
bool litemrc_fault_entry(struct mm_struct *mm, unsigned long *entry);
int litemrc_walk_since(u64 since, litemrc_visit *visit, void *data);

/* tracepoints.c */
/**
 * struct litemrc_hook - a function that a tracepoint calls
 * @name: of the tracepoint
 * @function: of the tracepoint's type
 * @optional: not all kernels have the tracepoint
 * @tracepoint: set by litemrc_hooks_find(), if the kernel has it
 */
struct litemrc_hook {
	const char *name;
	void *function;
	bool optional;
	struct tracepoint *tracepoint;
};

int litemrc_hooks_find(struct device *dev, struct litemrc_hook *hooks,
		       unsigned int count);
int litemrc_hooks_add(struct device *dev, const struct litemrc_hook *hooks,
		      unsigned int count, void *data);
void litemrc_hooks_remove(const struct litemrc_hook *hooks, unsigned int count,
			  void *data);

/* files.c */
int litemrc_parse_number(const char *text, u32 *number);
ssize_t litemrc_number_show(struct device *device,
			    struct device_attribute *attribute, char *text);
ssize_t litemrc_number_store(struct device *device,
			     struct device_attribute *attribute,
			     const char *text, size_t bytes);

/**
 * struct litemrc_number - a file with a number
 * @attribute: the file
 * @get: returns the number; NULL: a member, or else bits of a register
 * @set: sets it, with @settings held; NULL: nobody does
 * @base: returns the struct that has the member; NULL: struct litemrc
 * @offset: of the member or the register
 * @bytes: of the member; 0: it is a register
 * @mask: bits of the register; 0: all
 * @least: what may be set
 * @most: what may be set
 */
struct litemrc_number {
	struct device_attribute attribute;
	u64 (*get)(struct litemrc *mon);
	int (*set)(struct litemrc *mon, u32 value);
	void *(*base)(struct litemrc *mon);
	unsigned int offset;
	unsigned int bytes;
	u32 mask;
	u32 least;
	u32 most;
};

#define LITEMRC_NUMBER(_group, _name, _mode, ...)                      \
	static struct litemrc_number litemrc_##_group##_##_name = {    \
		.attribute = __ATTR(_name, _mode, litemrc_number_show, \
				    litemrc_number_store),             \
		__VA_ARGS__                                            \
	}
#define LITEMRC_MEMBER(_group, _name, _mode, _struct, _member, ...) \
	LITEMRC_NUMBER(_group, _name, _mode,                        \
		       .offset = offsetof(_struct, _member),        \
		       .bytes = sizeof_field(_struct, _member), ##__VA_ARGS__)

/**
 * struct litemrc_placed - a file of a numbered folder that shows a number
 * @attribute: the file
 * @place: of the number: an offset or an index, as its show function takes it
 */
struct litemrc_placed {
	struct kobj_attribute attribute;
	unsigned int place;
};

#define LITEMRC_PLACED(_group, _name, _show, _place)            \
	static struct litemrc_placed litemrc_##_group##_##_name = { \
		.attribute = __ATTR(_name, 0400, _show, NULL),      \
		.place = _place,                                    \
	}

static inline unsigned int
litemrc_place_of(const struct kobj_attribute *attribute)
{
	return container_of(attribute, struct litemrc_placed, attribute)->place;
}

/* In the list of a group: what one of the macros above has defined. */
#define LITEMRC_FILE(_group, _name) (&litemrc_##_group##_##_name.attribute.attr)

#endif
