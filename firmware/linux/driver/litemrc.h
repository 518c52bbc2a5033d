/* SPDX-License-Identifier: GPL-2.0 */
/* The interfaces between the driver's files; README.md lists the files. */
#ifndef LITEMRC_H
#define LITEMRC_H

#include <linux/cgroup.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "litemrc_platform.h"
#include "litemrc_regs.h"
#include "litemrc_uapi.h"
#include "pages/pages.h"
#include "ranks/ranks.h"

#define LITEMRC_RING_EPOCHS 64
#define LITEMRC_CONTEXTS_MAX 32 /* the bits of a u32 */
#define LITEMRC_GROUPS_MAX 256 /* the hits attribute fits a page */
#define LITEMRC_CLOCK_MHZ 25 /* the slowest clock for which a wait is long enough */
#define LITEMRC_EPOCH_INTERVAL_US 10000 /* between the ends of epochs, on average */
#define LITEMRC_EPOCH_BURST 16 /* epochs that may end at once */
#define LITEMRC_CLAIM_ORDER_MAX LITEMRC_FIELD(U32_MAX, CLAIM_ORDER)
#define LITEMRC_NO_TGID (-1) /* of no task; the idle task's is 0 */

#define LITEMRC_FIELD(word, name) (((word) & LITEMRC_##name) >> LITEMRC_##name##_SHIFT)

struct litemrc_evacuation;
struct litemrc_pmu;
struct litemrc_tails;
struct module;
struct page;
struct task_struct;

/* The parameters that the gateware was built with. */
struct litemrc_parameters {
	u32 version;
	u32 page_shift;
	u32 frames_log2;
	u32 frames;
	u32 groups;
	u32 contexts;
	u32 pages;
	u32 recent_pages;
	u32 commands; /* that can wait for the queue */
	u32 queue_depth;
	u32 engine;
	u32 ranks;
	bool claims; /* a page has an owner before its first access */
	bool page_bitmap; /* behind the counters in the window */
	u32 hot_pages; /* of the list behind these; 0: there is none */
	u32 banks; /* of the DRAM, whose commands are counted behind these; 0: they are not */
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
 * The process or cgroup that a context follows. Guarded by @lock; changed under @settings, except
 * when a process ends.
 */
struct litemrc_follower {
	enum litemrc_context_state state;
	struct pid *pid; /* either pid or cgroup, with a reference; neither when free */
	struct cgroup *cgroup;
	char comm[TASK_COMM_LEN]; /* as of the start of following, or of the end */
};

/* A change of a follower that the record of an epoch must report. */
struct litemrc_change {
	u32 epoch;
	unsigned int context;
	struct litemrc_row followed;
};

/* A context can start following (or be freed) and end before the record is written. */
#define LITEMRC_CHANGES_MAX (2 * LITEMRC_CONTEXTS_MAX)

/* Finished epochs; each reader reads all of them, independently of the others. */
struct litemrc_ring {
	struct mutex lock; /* guards all below */
	wait_queue_head_t wait; /* until an epoch is stored, the window free, the gateware stuck */
	struct list_head readers;
	void *records;
	size_t record_bytes;
	u32 *rows; /* sysfs: of each context whose counts are not those of the last record */
	u32 changed; /* contexts whose follower changed at the end of the last epoch */
	u32 head; /* number of epochs stored; the last is at head - 1 */
	u32 stored; /* the gateware's number of the next one */
	u64 ended_ns; /* end of the epoch stored last */
	u64 interrupt_ns; /* end of the epoch in the window; its event is disabled meanwhile */
	u32 lost; /* epochs overwritten before the slowest reader read them */
	bool gone;
	ktime_t due; /* when the epochs that have ended would have at LITEMRC_EPOCH_INTERVAL_US */
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

/* Processes that moved into a followed cgroup, until a work item hands over their pages. */
struct litemrc_moved {
	struct work_struct work;
	struct pid *pid[LITEMRC_MOVED_MAX]; /* with references; guarded by the monitor's @lock */
	unsigned int count;
	int all; /* contexts get theirs: there was no room, or pages have moved */
};

/* A folder of numbered folders in sysfs: contexts/N, ranks/N. */
struct litemrc_folders {
	struct kobject *parent;
	struct kobject **child;
	unsigned int count;
};

struct litemrc {
	struct litemrc_map map;
	raw_spinlock_t lock; /* innermost; guards map and the command registers */
	bool stuck; /* the gateware did not complete a command in time; until a clear */
	struct irq_work stuck_work; /* reports it from a context that may print */
	unsigned int timeout_us;
	raw_spinlock_t events_lock; /* guards @events; innermost, too */
	u32 events; /* as in EV_ENABLE */
	u32 room; /* commands that find a place without a look at the status; guarded by @lock */
	u32 commands_lost; /* times the gateware reported it; guarded by @lock */
	u32 commands_late;
	u64 cleared_ns; /* time of the last clear; guarded by @lock */
	u32 lost_recorded; /* commands_lost as of the last record */
	const struct litemrc_ops *ops;
	void *io;
	unsigned long first_pfn;
	struct litemrc_parameters parameters;
	struct litemrc_follower follower[LITEMRC_CONTEXTS_MAX];
	u8 *owner; /* context of each frame; guarded by @lock. NULL: the monitor knows by itself */
	struct task_struct *migrating; /* moves pages of others, so owns none of them */
	struct litemrc_change change[LITEMRC_CHANGES_MAX]; /* not reported yet, oldest first */
	unsigned int changes;

	struct mutex settings; /* guards everything that users write */
	bool enabled; /* by a user, whatever CONTROL holds now */
	bool probing; /* the tracepoints of an enabled monitor are registered */
	struct litemrc_moved moved;
	struct litemrc_tails *tails;
	struct litemrc_evacuation *evacuation; /* NULL: this kernel cannot move pages */
	struct litemrc_ring ring;
	struct litemrc_bitmap bitmap;
	struct litemrc_hot hot;
	struct litemrc_young young;
	struct litemrc_pmu *pmu; /* NULL: none */
	struct list_head consumer; /* in pages/bitmap.c's list of those that take such bits */
	struct litemrc_folders contexts;
	struct litemrc_folders rank_folders;
	struct litemrc_ranks ranks;
	struct kernfs_node *epoch_node; /* notified at the first epoch after a read */
	bool epoch_read; /* since it was notified */
	ktime_t loaded;
	struct device *dev;
	struct miscdevice misc;
	char name[16];
	int id;
	int irq;
	struct kref kref; /* held by the driver and by each open file */
};

/* registers.c */
extern const struct litemrc_ops litemrc_mmio_ops;

struct litemrc_mmio {
	void __iomem *registers;
	void __iomem *window;
	resource_size_t window_bytes;
};

static inline u32 litemrc_read(const struct litemrc *mon, unsigned int offset)
{
	return mon->ops->read(mon->io, offset);
}

static inline void litemrc_write(struct litemrc *mon, unsigned int offset, u32 value)
{
	mon->ops->write(mon->io, offset, value);
}

int litemrc_read_parameters(struct litemrc *mon);
void litemrc_set_control(struct litemrc *mon, u32 mask, u32 value);
void litemrc_command(struct litemrc *mon, u32 command);
void litemrc_set_events(struct litemrc *mon, u32 mask, u32 value);
void litemrc_invalidate_locked(struct litemrc *mon, u32 frame);
void litemrc_claim_locked(struct litemrc *mon, u32 frame, unsigned int order, unsigned int context);
int litemrc_wait_invalidated(struct litemrc *mon);
void litemrc_clear_locked(struct litemrc *mon);
void litemrc_check_commands(struct litemrc *mon, u32 status);
int litemrc_poll_status(struct litemrc *mon, bool (*is_done)(u32 status, u32 mask, u32 value),
			u32 mask, u32 value, u32 *status);
int litemrc_wait_status(struct litemrc *mon, u32 mask, u32 value);
void litemrc_set_stuck(struct litemrc *mon);

/* settings.c: callers hold @settings */
int litemrc_enable(struct litemrc *mon, bool on);
int litemrc_set_epoch_length(struct litemrc *mon, u32 length, bool cycles);
int litemrc_set_range(struct litemrc *mon, u32 lower, u32 upper);
int litemrc_set_sampling(struct litemrc *mon, u32 sampling);
int litemrc_set_quiet(struct litemrc *mon, u32 offset, u32 value);
int litemrc_set_split(struct litemrc *mon, bool on);
int litemrc_clear(struct litemrc *mon);
int litemrc_end_epoch(struct litemrc *mon);

/* Page groups of a tail: as many beyond the memory as in it, if they fit. */
static inline u32 litemrc_tail_groups(const struct litemrc *mon)
{
	return min_t(u32, 2 * mon->parameters.groups, LITEMRC_TAIL_GROUPS_MAX);
}

/* epoch_ring.c */
int litemrc_ring_init(struct litemrc *mon);
/* A record in the ring has a row for each context: that of one, its counts, a rank, and a bank. */
static inline struct litemrc_row *litemrc_record_row(const struct litemrc_epoch *record,
						     u32 context)
{
	const struct litemrc_part *parts = litemrc_parts(record);

	return (void *)(parts + record->parts) + context * parts[0].item_bytes;
}

static inline u32 *litemrc_record_counts(const struct litemrc_epoch *record, u32 context)
{
	return (u32 *)(litemrc_record_row(record, context) + 1);
}

static inline struct litemrc_rank *litemrc_record_rank(const struct litemrc_epoch *record, u32 rank)
{
	u32 ranks;

	return (struct litemrc_rank *)litemrc_part(record, LITEMRC_PART_RANKS, &ranks) + rank;
}

static inline struct litemrc_bank *litemrc_record_bank(const struct litemrc_epoch *record, u32 bank)
{
	u32 banks;

	return (struct litemrc_bank *)litemrc_part(record, LITEMRC_PART_BANKS, &banks) + bank;
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

/* banks.c */
u32 litemrc_window_end(const struct litemrc_parameters *parameters);
void litemrc_banks_fill(struct litemrc *mon, struct litemrc_epoch *record);

/* changes.c */
int litemrc_settle_locked(struct litemrc *mon);
u32 litemrc_end_epoch_locked(struct litemrc *mon);
u32 litemrc_change_locked(struct litemrc *mon, unsigned int context);
u32 litemrc_fill_followed(struct litemrc *mon, const struct litemrc_epoch *last,
			  struct litemrc_epoch *record);

/* chardev.c */
extern const struct file_operations litemrc_fops;

void litemrc_put(struct litemrc *mon);

/* sysfs/attributes.c, sysfs/switches.c */
extern const struct attribute_group *litemrc_groups[];
extern const struct attribute_group litemrc_switch_group;

static inline struct litemrc *litemrc_of_device(struct device *device)
{
	return container_of((struct miscdevice *)dev_get_drvdata(device), struct litemrc, misc);
}

/* sysfs/folders.c */
int litemrc_add_folders(struct litemrc *mon, struct litemrc_folders *folders, const char *name,
			unsigned int count, const struct attribute_group *group);
void litemrc_remove_folders(struct litemrc_folders *folders);
struct litemrc *litemrc_of_folder(struct kobject *kobj, unsigned int *number);

/* sysfs/bitmap.c, sysfs/hot.c, sysfs/contexts.c, sysfs/ranks.c, sysfs/dram.c */
extern const struct attribute_group litemrc_bitmap_group;
extern const struct attribute_group litemrc_hot_group;
extern const struct attribute_group litemrc_context_group;
extern const struct attribute_group litemrc_dram_group;
extern const struct attribute_group litemrc_rank_group;

/* follow.c: callers hold @settings, except of the first three */
int litemrc_follow_init(struct litemrc *mon);
int litemrc_follow_start(struct litemrc *mon);
void litemrc_follow_stop(struct litemrc *mon);
int litemrc_follow_pid(struct litemrc *mon, unsigned int context, pid_t nr);
int litemrc_follow_cgroup(struct litemrc *mon, unsigned int context, const char *path);
int litemrc_free_context(struct litemrc *mon, unsigned int context);
void litemrc_check_removed(struct litemrc *mon, unsigned int context);

/* cgroups.c */
struct cgroup *litemrc_cgroup_get(const char *path);
unsigned int litemrc_cgroup_context(const struct litemrc_map *map, struct task_struct *task);
bool litemrc_cgroup_followed(const struct litemrc_map *map, struct cgroup *cgroup);
bool litemrc_cgroup_holds(struct cgroup *cgroup, struct task_struct *task);
bool litemrc_cgroup_removed(struct cgroup *cgroup);
int litemrc_cgroup_path(struct cgroup *cgroup, char *text, size_t bytes);
void litemrc_cgroup_hold(struct cgroup *cgroup);
void litemrc_cgroup_put(struct cgroup *cgroup);

/* Returns the context that follows a task's process, or 0. */
static __always_inline unsigned int litemrc_process_context(const struct litemrc_map *map,
							    const struct task_struct *task)
{
	unsigned int context;

	for (context = READ_ONCE(map->last); context; context--)
		if (READ_ONCE(map->tgid[context]) == task->tgid)
			break;
	return context;
}

/* Returns the context of a task, as of some moment unless the caller holds @lock. */
static inline unsigned int litemrc_context_of(const struct litemrc_map *map,
					      struct task_struct *task)
{
	unsigned int context = litemrc_process_context(map, task);

	return context || !READ_ONCE(map->cgroups) ? context : litemrc_cgroup_context(map, task);
}

/* probes.c */
int litemrc_probes_find(struct litemrc *mon);
int litemrc_probes_register(struct litemrc *mon);
void litemrc_probes_unregister(struct litemrc *mon);

/* owners.c */
int litemrc_owners_init(struct litemrc *mon);
void litemrc_owners_free(struct litemrc *mon);
void litemrc_owners_reset_locked(struct litemrc *mon);
void litemrc_owners_restore(struct litemrc *mon);
void litemrc_owners_release(struct litemrc *mon, unsigned int context);
void litemrc_page_allocated(struct litemrc *mon, struct page *page, unsigned int order);
void litemrc_invalidate(struct litemrc *mon, u32 frame);
void litemrc_hand_over_frame(struct litemrc *mon, u32 frame, unsigned int context);

/* hand_over.c: callers of the first two hold @settings */
void litemrc_hand_over(struct litemrc *mon, unsigned int context);
void litemrc_hand_over_all(struct litemrc *mon);
void litemrc_moved_init(struct litemrc *mon);
void litemrc_moved_stop(struct litemrc *mon);
void litemrc_note_moved(struct litemrc *mon, struct cgroup *cgroup, struct task_struct *task);
void litemrc_note_migrated(struct litemrc *mon);

/* tail/tail.c: callers of the last two hold @settings */
#ifdef CONFIG_MEMCG
int litemrc_tails_init(struct litemrc *mon);
void litemrc_tails_stop(struct litemrc *mon);
void litemrc_tails_free(struct litemrc *mon);
void litemrc_tails_end_locked(struct litemrc *mon, unsigned int context);
void litemrc_tails_fill(struct litemrc *mon, struct litemrc_epoch *record);
void litemrc_tails_update(struct litemrc *mon);
void litemrc_tails_reset(struct litemrc *mon);
#else
static inline int litemrc_tails_init(struct litemrc *mon)
{
	return 0;
}

static inline void litemrc_tails_stop(struct litemrc *mon) {}
static inline void litemrc_tails_free(struct litemrc *mon) {}
static inline void litemrc_tails_end_locked(struct litemrc *mon, unsigned int context) {}
static inline void litemrc_tails_fill(struct litemrc *mon, struct litemrc_epoch *record) {}
static inline void litemrc_tails_update(struct litemrc *mon) {}
static inline void litemrc_tails_reset(struct litemrc *mon) {}
#endif

/* pmu.c */
#ifdef CONFIG_PERF_EVENTS
void litemrc_pmu_bind(struct litemrc *mon);
void litemrc_pmu_unbind(struct litemrc *mon);
void litemrc_pmu_add(struct litemrc *mon, const struct litemrc_epoch *record);
void litemrc_pmus_free(void);
#else
static inline void litemrc_pmu_bind(struct litemrc *mon) {}
static inline void litemrc_pmu_unbind(struct litemrc *mon) {}
static inline void litemrc_pmu_add(struct litemrc *mon, const struct litemrc_epoch *record) {}
static inline void litemrc_pmus_free(void) {}
#endif

/* sysfs/parse.c */
int litemrc_parse_numbers(const char *text, u32 *numbers, unsigned int count, const char **rest);
int litemrc_parse_switch(const char *text, bool *on);

#endif
