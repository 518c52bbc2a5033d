/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device is and can do. A port fills in the parameters and the operations; the service (service.h) checks requests
 * against the parameters and leaves the rest to the operations.
 */
#ifndef LITEMRC_DEVICE_H
#define LITEMRC_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "litemrc_protocol.h"

/* The answer to a request, under construction. */
struct answer {
	struct litemrc_ack ack;
	const char *reason;	/* of a refusal */
};

/* Returns the error code, for callers to return. */
static inline int refuse(struct answer *answer, int error, const char *reason)
{
	answer->reason = reason;
	return error;
}

void answer_values(struct answer *answer, size_t count, const uint32_t *values);
void answer_text(struct answer *answer, const char *text);

#define ANSWER(answer, ...) \
	answer_values(answer, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__})

/* Values that a host reads and sets, in the order of the members of set_*; some have arguments. A part's stand together. */
enum device_setting {
	DEVICE_EPOCH_LENGTH,
	DEVICE_CONTEXT,
	DEVICE_ENABLE,		/* set only */
	DEVICE_RANGE,
	DEVICE_SAMPLING,
	DEVICE_FREEZE,		/* read: all modes of freezing */
	DEVICE_SINGLE_SHOT,	/* set only */
	DEVICE_SPLIT,
	DEVICE_HOT,
	DEVICE_PAGE_MESSAGES,
	DEVICE_DRAM,		/* read only */
	DEVICE_RANK_POLICY,
	DEVICE_RANK_STATE,	/* set only: domain, state */
	DEVICE_RANK_LOSS,	/* read: of a domain; set: domain, allowed, part */
	DEVICE_WORKING_SET,
	DEVICE_REF_COUNTERS,	/* read only */
	DEVICE_COUNTER,		/* read: of a counter; set: counter, initial, accesses, masters, contexts, lower, upper */
	DEVICE_COUNTING,	/* set only */
	DEVICE_COUNT,		/* read: of counter, page; set: counter, page, value */
	DEVICE_TRAFFIC,		/* set: base, words_log2, random, stride, writes, gap, seed, count */
	DEVICE_PROCESS,		/* read: of a context; set: context, pid */
	DEVICE_BUDGET,		/* read: of a context; set: context, pages */
	DEVICE_RECLAIM,		/* set only: context, pages; answered with the budget */
	DEVICE_FAULT_COST,	/* set: starts the measurement */
};

enum device_order { DEVICE_END_EPOCH, DEVICE_CLEAR, DEVICE_ARM, DEVICE_INVALIDATE };

/* Refusals of operations that several ports have. */
#define DEVICE_LIVE_PAGES "the domain holds pages whose data may be needed"
#define DEVICE_NO_SAMPLING "the gateware does not support this sampling rate"
#define DEVICE_NO_SPLIT "the gateware cannot count writes apart"
#define DEVICE_NO_HOT_SETTING "the gateware has no such setting of hot pages"

/* `enable` of DEVICE_HOT. */
enum device_hot { DEVICE_HOT_OFF, DEVICE_HOT_OF_PAGES, DEVICE_HOT_OF_ROWS };

struct device_parameters {
	uint32_t features;	/* bits LITEMRC_FEATURE_*, without read_only */
	uint32_t version, clock_hz, page_shift, frames, groups, contexts, engine, pages, recent_pages, queue_depth, abi;
	uint32_t epoch_least;	/* shortest epoch, in its unit */
	uint32_t ranks;		/* power domains, also without rank power */
	uint32_t power_states;	/* bit n: the DRAM reaches state n */
	uint32_t hot_pages;	/* on an epoch's list at most; 0: it has none */
	uint32_t banks, access_bytes;	/* of the DRAM; 0: its commands are not counted */
	uint32_t row_bytes;	/* of a row of the DRAM; 0: the list cannot be of rows */
	uint64_t first_page;	/* of physical memory: frame 0 */
	uint32_t counter_pages, counter_width, counter_masters, counter_contexts;	/* of the reference counters */
	uint32_t traffic_words_log2;
	const char *system, *driver, *identifier;
	uint32_t programs;	/* number of them */
	const char *program_names[LITEMRC_PROGRAMS_MAX];
};

/*
 * The operations return 0 or refuse(). The service has checked that arguments and values are within the limits of schema
 * and parameters. It asks for no part that the parameters lack. The answer is empty before, its reason "".
 */
struct device {
	struct device_parameters parameters;
	int (*get)(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer);
	int (*set)(struct device *device, enum device_setting setting, const uint32_t *values, struct answer *answer);
	int (*order)(struct device *device, enum device_order order, uint32_t value, struct answer *answer);
	/* Only with programs. */
	int (*run)(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer);
	uint32_t (*running)(struct device *device);	/* a bit for each program */
	/* The bytes of a self-test, at most as many as the answer holds; NULL: those that were sent. */
	int (*echo)(struct device *device, const void *bytes, size_t length, struct answer *answer);
	/* Only with processes; context 0: any. */
	int (*follow_cgroup)(struct device *device, uint32_t context, const char *path, struct answer *answer);
	/*
	 * Only with a lease. lease() begins or renews it; when it is over, the port calls device_end_lease(). That calls
	 * end_lease(), which undoes what only the port knows, such as budgets.
	 */
	void (*lease)(struct device *device, uint32_t cycles);
	void (*end_lease)(struct device *device);
	uint32_t (*epoch)(struct device *device);	/* number of the running one */

	/* The service's own. `saved`: policy and working set will be restored or, after the lease, were. */
	bool leased, saved;
	uint32_t saved_policy[6], saved_working_set[3];
};

/*
 * Features that a device of this build can have at all: a port names a header that says fewer, for a small ROM, and the
 * addresses of the blocks of registers.h, if its processor has them on its bus: DEVICE_BASES.
 */
#ifdef DEVICE_FEATURES_FILE
#include DEVICE_FEATURES_FILE
#else
#define DEVICE_FEATURES ~0u
#define DEVICE_HOT_PAGES true
#endif
#define DEVICE_CAN(feature) (DEVICE_FEATURES >> LITEMRC_FEATURE_##feature & 1)

static inline bool device_has(const struct device *device, unsigned int feature)
{
	return DEVICE_FEATURES & device->parameters.features & 1u << feature;
}

static inline bool device_has_hot_pages(const struct device *device)
{
	return DEVICE_HOT_PAGES && device->parameters.hot_pages;
}

/* Contexts that own pages: half of them while writes count apart. */
uint32_t device_owners(struct device *device);

/* Whether a context may own pages: 0 or refuse(). */
int device_check_owner(struct device *device, struct answer *answer, uint32_t context);

/* Ends the lease: rank policy and working set are as before it. */
void device_end_lease(struct device *device);

#endif
