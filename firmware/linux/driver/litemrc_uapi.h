/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/* The record that read() of /dev/litemrcN returns; see firmware/linux/ABI.md. Native byte order. */
#ifndef LITEMRC_UAPI_H
#define LITEMRC_UAPI_H

#include <linux/types.h>

#define LITEMRC_ABI_VERSION 3

#define LITEMRC_TAIL_GROUPS_MAX 256

#define LITEMRC_EPOCH_OVERFLOW 0x1	/* a count saturated, losses too */
#define LITEMRC_EPOCH_COMMAND_LOST 0x2	/* an invalidation or clear was lost: counts are wrong */
#define LITEMRC_EPOCH_SPLIT 0x4		/* writes count in the upper half of the contexts */

#define LITEMRC_RANK_OVERFLOW 0x1	/* a counter of the rank saturated */

enum litemrc_context_state {
	LITEMRC_CONTEXT_FREE = 1,
	LITEMRC_CONTEXT_FOLLOWING = 2,
	LITEMRC_CONTEXT_ENDED = 3,	/* the process or cgroup is gone */
};

/* What a context follows after the end of an epoch; sysfs shows the present state. */
struct litemrc_context {
	__u32 state;		/* enum litemrc_context_state */
	__u32 pid;		/* in the first pid namespace; 0: none, or a cgroup */
	char comm[16];		/* its name then, zero-padded; of a cgroup, the last part */
	/* Its memory cgroup; all 0 without one. The first two are as of the epoch's end. */
	__u32 resident;		/* pages charged to it */
	__u32 evicted;		/* its pages that are out, in known order */
	__u32 refaults;		/* in the epoch; those identified are the sum of the row's tail */
	__u32 unidentified;	/* evictions and refaults in the epoch of unknown page or order */
};

/* What the rank meter counted in an epoch. */
struct litemrc_rank {
	__u32 state;		/* after the epoch, as in the register `state` */
	__u32 working;		/* 1: it holds a page of the working set */
	__u32 live_pages;	/* pages whose data may be needed */
	__u32 flags;		/* LITEMRC_RANK_* */
	__u32 cycles;		/* of the system clock, that the counters cover */
	__u32 reserved;
	__u32 counters[16];	/* as in a row of the meter's window (docs/registers.md) */
};

/*
 * One finished epoch: this header, then a struct litemrc_context for each context, then a row of
 * counters for each context, then a struct litemrc_rank for each rank of a rank power unit. Later
 * drivers may append members to the header, to struct litemrc_context, to a row and to struct
 * litemrc_rank: find the parts by the sizes in the record, not by sizeof().
 */
struct litemrc_epoch {
	__u32 bytes;		/* of the whole record, a multiple of 8 */
	__u16 header_bytes;	/* of this header; the contexts follow */
	__u16 context_bytes;	/* of each context; the rows follow the last */
	__u16 row_words;	/* 32 bits each: hits, misses, accesses, touched, tail */
	__u16 contexts;
	__u16 groups;
	__u16 tail_groups;	/* of the tail: refaults by group of LRU position, last open */
	__aligned_u64 begin_ns;	/* CLOCK_MONOTONIC: end of the epoch before, or a later clear */
	__aligned_u64 end_ns;
	__u32 epoch;		/* its number, from 0 since boot */
	__u32 lost;		/* epochs this reader lost just before this one */
	__u32 flags;
	__u32 dropped;		/* accesses dropped in the epoch */
	__u32 outside;		/* accesses outside the range */
	__u32 unsampled;	/* accesses inside the range to pages not sampled */
	__u32 scale_log2;	/* 1 page of 2^scale_log2 was sampled */
	__u16 ranks;		/* 0 without a rank power unit */
	__u16 rank_bytes;	/* of each rank; the ranks follow the last row */
};

/* The parts of a record. */
static inline const struct litemrc_context *litemrc_epoch_context(const struct litemrc_epoch *epoch,
								  unsigned int context)
{
	const char *first = (const char *)epoch + epoch->header_bytes;

	return (const struct litemrc_context *)(first + context * epoch->context_bytes);
}

static inline const __u32 *litemrc_epoch_row(const struct litemrc_epoch *epoch,
					     unsigned int context)
{
	const __u32 *first = (const __u32 *)litemrc_epoch_context(epoch, epoch->contexts);

	return first + context * epoch->row_words;
}

static inline const struct litemrc_rank *litemrc_epoch_rank(const struct litemrc_epoch *epoch,
							    unsigned int rank)
{
	const char *first = (const char *)litemrc_epoch_row(epoch, epoch->contexts);

	return (const struct litemrc_rank *)(first + rank * epoch->rank_bytes);
}

/* Words of a row after the hits, without the tail. */
#define LITEMRC_ROW_WORDS 3
#define LITEMRC_ROW_MISSES(groups) (groups)
#define LITEMRC_ROW_ACCESSES(groups) ((groups) + 1)
#define LITEMRC_ROW_TOUCHED(groups) ((groups) + 2)
#define LITEMRC_ROW_TAIL(groups) ((groups) + LITEMRC_ROW_WORDS) /* tail_groups words */

#endif
