/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * The record of an epoch: what read() of /dev/litemrcN returns, what a device sends on every link, and
 * what the host reads as arrays (host/litemrc/device/record.py reads this file). Little endian.
 */
#ifndef LITEMRC_UAPI_H
#define LITEMRC_UAPI_H

#ifdef __linux__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __aligned_u64 __attribute__((aligned(8)));
#endif

#define LITEMRC_ABI_VERSION 7

#define LITEMRC_TAIL_GROUPS_MAX 256

/* Flags of an epoch. */
#define LITEMRC_EPOCH_OVERFLOW 0x1	/* a count saturated, losses too */
#define LITEMRC_EPOCH_COMMAND_LOST 0x2	/* an invalidation or clear was lost: counts are wrong */
#define LITEMRC_EPOCH_SPLIT 0x4		/* writes count in the upper half of the contexts */
#define LITEMRC_EPOCH_HOT_MORE 0x8	/* more pages were hot than are listed */
#define LITEMRC_EPOCH_HOT_SATURATED 0x10	/* the count of a hot page reached its limit */
#define LITEMRC_EPOCH_DRAM_ROWS 0x20	/* rows were observed: of banks all counts, refreshes and queue_peak are known */

#define LITEMRC_RANK_OVERFLOW 0x1	/* a counter of the rank saturated */

enum litemrc_context_state {
	LITEMRC_CONTEXT_UNKNOWN = 0,	/* the device follows no processes */
	LITEMRC_CONTEXT_FREE = 1,
	LITEMRC_CONTEXT_FOLLOWING = 2,
	LITEMRC_CONTEXT_ENDED = 3,	/* the process or cgroup is gone */
};

/*
 * A record is this header, a table of `parts`, and the items of each part in the order of the table,
 * each part from a multiple of 8 bytes on. Later versions may append members to the header and to
 * items, and add parts: find all by the sizes in the record, not by sizeof(), and skip parts that are
 * not known.
 */
struct litemrc_epoch {
	__u32 bytes;		/* of the whole record, a multiple of 8 */
	__u16 header_bytes;	/* of this header, a multiple of 8; the table follows */
	__u16 parts;
	__aligned_u64 begin_ns;	/* CLOCK_MONOTONIC: end of the epoch before, or a later clear; 0: no clock */
	__aligned_u64 end_ns;
	__u32 epoch;		/* its number, from 0 since boot */
	__u32 lost;		/* epochs this reader lost just before this one */
	__u32 flags;
	__u32 dropped;		/* accesses dropped in the epoch */
	__u32 outside;		/* accesses outside the range */
	__u32 unsampled;	/* accesses inside the range to pages not sampled */
	__u32 scale_log2;	/* 1 page of 2^scale_log2 was sampled */
	__u16 groups;		/* hits of a row */
	__u16 tail_groups;	/* of its tail, refaults by group of LRU position, the last open; 0: there were none */
	__u32 hot_accesses;	/* that hot pages counted in the epoch; 2^32 - 1: or more */
	__u32 access_bytes;	/* that a read or write of `banks` moves, in a cycle of the data bus; 0: no part banks */
	__aligned_u64 cycles;	/* of the system clock that `banks` cover; 0: unknown */
	__u32 refreshes;	/* REFRESH commands in them */
	__u32 refresh_cycles;	/* that each takes (tRFC) */
	__u32 queue_peak;	/* most requests that the DRAM controller had accepted and not issued */
	__u32 row_bytes;	/* hot pages are rows of the DRAM, by ACTIVATEs: bytes of a row, their unit; 0: they are pages */
};

enum litemrc_part_kind {
	LITEMRC_PART_ROWS = 1,		/* struct litemrc_row */
	LITEMRC_PART_RANKS = 2,		/* struct litemrc_rank, of each power domain */
	LITEMRC_PART_TASKS = 3,		/* struct litemrc_task, of each task of a pager */
	LITEMRC_PART_COPIES = 4,	/* struct litemrc_copies, of a program that copies remote pages */
	LITEMRC_PART_ACCESSED = 5,	/* words: bit n % 32 of word n / 32 is frame n, accessed in the epoch */
	LITEMRC_PART_WRITTEN = 6,	/* words: the frames that were written */
	LITEMRC_PART_HOT = 7,		/* struct litemrc_hot_page, the largest count first */
	LITEMRC_PART_BANKS = 8,		/* struct litemrc_bank, of each bank of the DRAM */
};

struct litemrc_part {
	__u16 kind;		/* enum litemrc_part_kind */
	__u16 item_bytes;	/* a multiple of 4 */
	__u32 items;
};

/*
 * What a context counted, for each context that counted or follows anything, in ascending order. The
 * counts are hits[groups], misses, accesses, touched, as in the monitor's window, then
 * tail[tail_groups].
 */
struct litemrc_row {
	__u32 context;
	__u32 state;		/* enum litemrc_context_state, after the end of the epoch */
	__u32 pid;		/* in the first pid namespace; 0: none, or a cgroup */
	char comm[16];		/* its name then, zero-padded; of a cgroup, the last part */
	/* Its memory cgroup; all 0 without one. The first two are as of the epoch's end. */
	__u32 resident;		/* pages charged to it */
	__u32 evicted;		/* its pages that are out, in known order */
	__u32 refaults;		/* in the epoch; those identified are the sum of the tail */
	__u32 unidentified;	/* evictions and refaults in the epoch of unknown page or order */
	/* counts follow */
};

/* Words of a row's counts behind the hits. */
#define LITEMRC_ROW_WORDS 3
#define LITEMRC_ROW_MISSES(groups) (groups)
#define LITEMRC_ROW_ACCESSES(groups) ((groups) + 1)
#define LITEMRC_ROW_TOUCHED(groups) ((groups) + 2)
#define LITEMRC_ROW_TAIL(groups) ((groups) + LITEMRC_ROW_WORDS)	/* tail_groups words */

/* What the rank meter counted. */
struct litemrc_rank {
	__u32 state;		/* after the epoch, as in the register `state` */
	__u32 working;		/* 1: it holds a page of the working set */
	__u32 live_pages;	/* pages whose data may be needed */
	__u32 flags;		/* LITEMRC_RANK_* */
	__u32 cycles;		/* of the system clock, that the counters cover */
	__u32 reserved;
	__u32 counters[16];	/* as in a row of the meter's window (docs/registers.md) */
};

/* What the pager counted for a task since the record before. */
struct litemrc_task {
	__u32 context;
	__u32 memory;		/* frames that all tasks share */
	__u32 budget;		/* frames guaranteed to it; 2^32 - 1: none */
	__u32 resident;		/* frames it holds */
	__u32 references;
	__u32 faults;		/* pages read from the slow region */
	__u32 zero_fills;	/* first touches */
	__u32 writes;		/* pages written to the slow region */
	__u32 iterations;	/* completed */
	__u32 damaged;		/* pages with contents other than written: must be 0 */
	__aligned_u64 response;	/* cycles of those iterations, each from the time it was due */
};

/* Counters, since its start, of a program that copies remote pages into local memory. */
struct litemrc_copies {
	__u32 context;
	__u32 copies;		/* pages that have a copy */
	__u32 room;		/* pages that local memory holds */
	__u32 references;	/* local + remote_reads + remote_writes */
	__u32 local;		/* to a copy, reads and writes */
	__u32 remote_reads;
	__u32 remote_writes;
	__u32 home;		/* accesses of the memory's other master, where the pages have their home */
	__u32 replications;	/* copies made: DELAY reached zero */
	__u32 refused;		/* copies not made: local memory was full */
	__u32 drops;		/* copies dropped: UPDATE reached zero after more updates than local accesses */
	__u32 kept;		/* UPDATE reached zero after no more updates than local accesses */
	__u32 updates_sent;	/* writes to a copy, forwarded to the home */
	__u32 updates_received;	/* writes of the other master to pages that have a copy */
	__u32 lost;		/* accesses and events that the counters lost, since reset */
	__u32 damaged;		/* words with contents other than written: must be 0 */
	__aligned_u64 cost;	/* of all these accesses, in cycles of the paper's machine */
};

struct litemrc_hot_page {
	__u32 frame;
	__u32 count;		/* accesses to it at least */
};

/*
 * The DRAM commands of a bank in the epoch, whatever range and sampling select. Without LITEMRC_EPOCH_DRAM_ROWS only reads
 * and writes are known, and all of them are in one bank. Counts saturate.
 */
struct litemrc_bank {
	__u32 reads;		/* column commands; each moves access_bytes */
	__u32 writes;
	__u32 row_hits;		/* reads and writes that followed another one to the row as it was open */
	__u32 activates;	/* ACTIVATE commands */
	__u32 row_conflicts;	/* of them, those of a bank that was closed for another row */
	__u32 reserved[3];
};

/* Bytes of a part, with those up to the next. */
static inline __u32 litemrc_part_bytes(const struct litemrc_part *part)
{
	return (part->items * part->item_bytes + 7) & ~7u;
}

static inline const struct litemrc_part *litemrc_parts(const struct litemrc_epoch *epoch)
{
	return (const struct litemrc_part *)((const char *)epoch + epoch->header_bytes);
}

/* Returns the items of a part, and how many there are; without the part, none. */
static inline const void *litemrc_part(const struct litemrc_epoch *epoch, unsigned int kind, __u32 *items)
{
	const struct litemrc_part *parts = litemrc_parts(epoch);
	const char *at = (const char *)(parts + epoch->parts);
	unsigned int i;

	*items = 0;
	for (i = 0; i < epoch->parts; at += litemrc_part_bytes(&parts[i++]))
		if (parts[i].kind == kind) {
			*items = parts[i].items;
			return at;
		}
	return (const void *)0;
}

#endif
