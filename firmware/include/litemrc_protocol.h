/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages of a link between a device and a host: the only definition of their numbers, fields and limits. Firmware
 * includes this file; the host reads it (host/litemrc/device/link/schema.py). docs/protocol.md explains it.
 *
 * A message is a struct litemrc_message and the structure of its type: litemrc_NAME for the type LITEMRC_MESSAGE_NAME
 * or LITEMRC_REQUEST_NAME, nothing for a type without a structure. All is little endian, in words of 32 bits, texts filled up
 * with zeros. Within a major version structures may grow at their ends, and types and values be added: who receives a
 * shorter one takes what is missing as 0; a host skips what it does not know; a device refuses a request whose unknown part
 * is not 0 (bad_argument), as it would be half obeyed. Fields and numbers are never used for anything else.
 */
#ifndef LITEMRC_PROTOCOL_H
#define LITEMRC_PROTOCOL_H

#include "litemrc_uapi.h"

/* 1000 * major + minor. Two ends of another major version only say hello, so that the host can name what to update. */
#define LITEMRC_PROTOCOL_VERSION 2001

#define LITEMRC_REQUEST_BYTES_MAX 192	/* of a message to a device, later versions included */
#define LITEMRC_PROGRAMS_MAX 8
#define LITEMRC_VALUES_MAX 10
#define LITEMRC_PAYLOAD_MAX 128
#define LITEMRC_REASON_MAX 80
#define LITEMRC_PATH_MAX 120
#define LITEMRC_NO_BUDGET 0xffffffff

struct litemrc_message {
	__u32 type;
	/*
	 * Each end numbers the messages it sends. A device starts at 1, so that lost ones are counted. A host starts at any
	 * number except 0, and repeats a request that is not answered under its number: the device then repeats the answer only.
	 */
	__u32 sequence;
};

/* ---------------------------------------------------------------------------------------- device to host */

enum litemrc_device_message {
	LITEMRC_MESSAGE_HELLO = 1,
	LITEMRC_MESSAGE_EPOCH = 2,	/* struct litemrc_epoch of litemrc_uapi.h, with all that follows it there */
	LITEMRC_MESSAGE_EVENT = 3,
	LITEMRC_MESSAGE_LOG = 4,
	LITEMRC_MESSAGE_ACK = 5,
	LITEMRC_MESSAGE_NAK = 6,
	LITEMRC_MESSAGE_COUNT = 11,
	LITEMRC_MESSAGE_QUEUED = 14,
};

/* Bits of hello's features, by their number. */
enum litemrc_feature {
	LITEMRC_FEATURE_PAGE_BITMAP = 0,	/* records may have the parts accessed and written */
	LITEMRC_FEATURE_RANK_POWER = 1,
	LITEMRC_FEATURE_REF_COUNTERS = 2,
	LITEMRC_FEATURE_TRAFFIC = 3,
	LITEMRC_FEATURE_PROCESSES = 4,	/* contexts follow processes */
	LITEMRC_FEATURE_LEASE = 5,
	LITEMRC_FEATURE_READ_ONLY = 6,	/* on this connection only hello, echo and get_* are executed */
	LITEMRC_FEATURE_BUDGETS = 7,	/* programs have budgets of memory */
	LITEMRC_FEATURE_BANKS = 8,	/* records have the part banks */
};

enum litemrc_stack_engine {
	LITEMRC_STACK_ENGINE_GROUP_STACK = 1,
	LITEMRC_STACK_ENGINE_BUCKET_STACK = 2,
	LITEMRC_STACK_ENGINE_OS = 3,	/* the operating system's tracker, without hardware */
};

/* Answers the request hello, and is sent once at boot. `request` and `protocol` are here in every version. */
struct litemrc_hello {
	__u32 request;		/* number of the request answered; 0: at boot */
	__u32 protocol;		/* version of the device */
	__u32 features;		/* bits: enum litemrc_feature */
	__u32 gateware;		/* version register of the monitor */
	__u32 clock_hz;		/* system clock */
	__u32 page_shift;	/* a page has 2^page_shift bytes */
	__u32 frames;		/* page frames of the monitored memory */
	__u32 groups;		/* page groups of a stack, pages / groups pages each; at most 256 */
	__u32 contexts;		/* at most 256 */
	__u32 engine;		/* enum litemrc_stack_engine */
	__u32 pages;		/* pages the engine holds; if fewer than frames, pages are sampled */
	__u32 running;		/* running programs: a bit for each, by its index in workloads */
	__u32 epoch;		/* number of the next record: those before were sent, or are lost */
	__u32 recent_pages;	/* size of the recent-page filter before the engine */
	__u32 queue_depth;	/* of the monitor's input queue, in accesses */
	__u32 ranks;		/* power domains: ranks of the DRAM, or equal parts of one */
	__u32 hot_pages;	/* pages on an epoch's list at most; 0: it has no such list */
	__u32 abi;		/* version of the driver's ABI; 0 without one */
	char workloads[LITEMRC_PROGRAMS_MAX][16];	/* names of the programs that run takes by their index; empty ones are none */
	char system[48];	/* name and release of the operating system; empty without one */
	char driver[16];	/* version of its driver; empty without one */
	char identifier[48];	/* of the gateware, as it says itself */
	__u32 banks;		/* of the DRAM, whose commands records count; 0 without such counts */
	__u32 access_bytes;	/* that a read or write moves in one cycle: the peak is access_bytes * clock_hz; 0: unknown */
	__u32 row_bytes;	/* of a row of the DRAM; 0: hot pages cannot be rows */
};

enum litemrc_event_kind { LITEMRC_EVENT_KIND_WORKLOAD_STARTED = 1, LITEMRC_EVENT_KIND_WORKLOAD_DONE = 2 };

/* The start or the end of a program. Its end also ends the running epoch, whose record is sent before. */
struct litemrc_event {
	__u32 kind;		/* enum litemrc_event_kind */
	__u32 workload;		/* its index in hello's workloads */
	__u32 context;		/* context it runs under */
	__u32 epoch;		/* number of the next record: those before were sent, or are lost */
	__aligned_u64 cycles;	/* that it ran; 0 at its start */
};

enum litemrc_log_level { LITEMRC_LOG_DEBUG = 0, LITEMRC_LOG_INFO = 1, LITEMRC_LOG_WARNING = 2, LITEMRC_LOG_ERROR = 3 };

struct litemrc_log {
	__u32 level;		/* enum litemrc_log_level */
	char line[160];
};

/* The request was executed: the values that it reads, or that are in force behind it. */
struct litemrc_ack {
	__u32 request;		/* number of the request answered */
	__u32 values_count;
	__u32 values[LITEMRC_VALUES_MAX];
	__u32 payload_bytes;
	char payload[LITEMRC_PAYLOAD_MAX];	/* the bytes of echo; the name of get_process, follow and get_dram */
};

enum litemrc_error {
	LITEMRC_ERROR_UNKNOWN = 1,	/* no such request */
	LITEMRC_ERROR_BAD_ARGUMENT = 2,
	LITEMRC_ERROR_BUSY = 3,
	LITEMRC_ERROR_UNSUPPORTED = 4,	/* this device cannot execute it with any arguments */
	LITEMRC_ERROR_READ_ONLY = 5,	/* this connection only reads */
};

/* The request was refused, and nothing was changed. Of request 0: not the device, but a port that carries one host ends the session. */
struct litemrc_nak {
	__u32 request;
	__u32 error;		/* enum litemrc_error */
	char reason[LITEMRC_REASON_MAX];
};

enum litemrc_page_counter { LITEMRC_PAGE_COUNTER_DELAY = 0, LITEMRC_PAGE_COUNTER_UPDATE = 1 };

/* A counter of a page reached zero, and no program of the device takes these events. */
struct litemrc_count {
	__u32 index;		/* number of this message since boot, from 0: a gap shows lost ones */
	__u32 counter;		/* enum litemrc_page_counter */
	__u32 page;
	__u32 lost;		/* events that the hardware lost, since reset */
};

/* Pages whose count reached the threshold, in that order, of an epoch that still runs; only with always_on of set_hot. */
struct litemrc_queued {
	__u32 index;		/* as of a count */
	__u32 overflow;		/* 1: pages were lost before these */
	__u32 frames_count;
	__u32 frames[16];
};

/* ---------------------------------------------------------------------------------------- host to device */

/* Each request is answered by ack or nak, except hello, answered by hello. */
enum litemrc_request {
	LITEMRC_REQUEST_ASK_HELLO = 65,
	LITEMRC_REQUEST_ECHO = 66,
	LITEMRC_REQUEST_GET_EPOCH = 67,
	LITEMRC_REQUEST_SET_EPOCH = 68,
	LITEMRC_REQUEST_GET_ENGINE = 69,
	LITEMRC_REQUEST_SET_ENGINE = 70,
	LITEMRC_REQUEST_GET_CONTEXT = 71,
	LITEMRC_REQUEST_SET_CONTEXT = 72,
	LITEMRC_REQUEST_INVALIDATE = 73,
	LITEMRC_REQUEST_END_EPOCH = 74,	/* its record follows some time after the ack */
	LITEMRC_REQUEST_MONITOR = 75,
	LITEMRC_REQUEST_CLEAR = 76,	/* makes every page invalid and restarts the running epoch */
	LITEMRC_REQUEST_RUN = 77,
	LITEMRC_REQUEST_GET_RANGE = 78,
	LITEMRC_REQUEST_SET_RANGE = 79,
	LITEMRC_REQUEST_GET_SAMPLING = 80,
	LITEMRC_REQUEST_SET_SAMPLING = 81,
	LITEMRC_REQUEST_GET_FREEZE = 82,
	LITEMRC_REQUEST_FREEZE = 83,
	LITEMRC_REQUEST_SINGLE_SHOT = 84,
	LITEMRC_REQUEST_ARM = 85,
	LITEMRC_REQUEST_GET_PROCESS = 86,
	LITEMRC_REQUEST_FOLLOW = 87,
	LITEMRC_REQUEST_GET_BUDGET = 88,
	LITEMRC_REQUEST_SET_BUDGET = 89,
	LITEMRC_REQUEST_RECLAIM = 90,
	LITEMRC_REQUEST_GET_DRAM = 91,
	LITEMRC_REQUEST_GET_RANK_POLICY = 92,
	LITEMRC_REQUEST_SET_RANK_POLICY = 93,
	LITEMRC_REQUEST_SET_RANK_STATE = 94,
	LITEMRC_REQUEST_GET_WORKING_SET = 95,
	LITEMRC_REQUEST_SET_WORKING_SET = 96,
	LITEMRC_REQUEST_SET_RANK_LOSS = 97,
	LITEMRC_REQUEST_SET_LEASE = 98,
	LITEMRC_REQUEST_GET_REF_COUNTERS = 99,
	LITEMRC_REQUEST_GET_COUNTER = 100,
	LITEMRC_REQUEST_ARM_COUNTER = 101,
	LITEMRC_REQUEST_COUNT_REQUESTS = 102,
	LITEMRC_REQUEST_GET_COUNT = 103,
	LITEMRC_REQUEST_SET_COUNT = 104,
	LITEMRC_REQUEST_GET_TRAFFIC = 105,
	LITEMRC_REQUEST_SET_TRAFFIC = 106,
	LITEMRC_REQUEST_FOLLOW_CGROUP = 107,
	LITEMRC_REQUEST_MEASURE_FAULT_COST = 108,
	LITEMRC_REQUEST_GET_FAULT_COST = 109,
	LITEMRC_REQUEST_GET_SPLIT = 110,
	LITEMRC_REQUEST_SET_SPLIT = 111,
	LITEMRC_REQUEST_GET_HOT = 112,
	LITEMRC_REQUEST_SET_HOT = 113,
	LITEMRC_REQUEST_GET_PAGE_MESSAGES = 114,
	LITEMRC_REQUEST_SET_PAGE_MESSAGES = 115,
};

/* Self-test of the link: the answer has the same bytes. */
struct litemrc_echo {
	__u32 payload_bytes;
	char payload[LITEMRC_PAYLOAD_MAX];
};

/* Length of an epoch; 0 (after a reset): epochs do not end by length. Setting 0 is refused. */
enum litemrc_epoch_unit { LITEMRC_EPOCH_UNIT_ACCESSES = 1, LITEMRC_EPOCH_UNIT_CYCLES = 2 };

struct litemrc_set_epoch {
	__u32 unit;		/* enum litemrc_epoch_unit */
	__u32 length;
};

/* Stack engine in use; setting another than the device has is refused. */
struct litemrc_set_engine {
	__u32 engine;		/* enum litemrc_stack_engine */
};

/* Context that owns the pages first touched from now on. */
struct litemrc_set_context {
	__u32 context;
};

/* Removes the page from its stack. */
struct litemrc_invalidate {
	__u32 frame;
};

/* Starts or stops counting. */
struct litemrc_monitor {
	__u32 on;		/* bool */
};

/*
 * Starts a program of the device after the ack; refused (busy) while this program, or on bare metal any program, runs. Its
 * run time is proportional to scale, 1 or higher.
 */
struct litemrc_run {
	__u32 workload;
	__u32 context;
	__u32 scale;
};

/* First and last frame whose accesses are counted. Setting them clears, like the request clear. */
struct litemrc_set_range {
	__u32 lower;
	__u32 upper;
};

/*
 * 1 page of 2^sampling is sampled, or fewer if the engine holds fewer (the ack has the scale_log2 in force, too). Setting
 * it clears.
 */
struct litemrc_set_sampling {
	__u32 sampling;
};

/*
 * A frozen monitor updates its stacks and does not count; its epoch does not advance. It is frozen by freeze, or by
 * single_shot from the end of an epoch until arm. The acks have freeze, single_shot and frozen (0 or 1 each).
 */
struct litemrc_freeze {
	__u32 on;		/* bool */
};

struct litemrc_single_shot {
	__u32 on;		/* bool */
};

/*
 * The process that a context follows (with an operating system only, like all requests about processes); the ack has its
 * state (enum litemrc_context_state), its pid and its name.
 */
struct litemrc_get_process {
	__u32 context;
};

/*
 * Makes a context follow a process; pid 0 frees it. Refused: no such process, or context 0 (bad_argument); the process or
 * the context is in use (busy).
 */
struct litemrc_follow {
	__u32 context;
	__u32 pid;
};

/*
 * Memory of a context, in pages: the frames guaranteed to a task of the pager; with an operating system, the budget of the
 * context's cgroup, which is a limit (memory.high) and a guarantee (memory.low; LITEMRC_NO_BUDGET: neither). The cgroup is
 * that of a program which the device started, or one that the device's administrator listed. Answered with the limit, pages
 * used, the guarantee, the least guarantee and the least limit of the cgroups above (LITEMRC_NO_BUDGET: none), which bound
 * the former two. Refused (busy): the context has no such cgroup; a listed one without a lease, or while one above or below
 * it has a budget. Refused (bad_argument): a budget above the least limit.
 */
struct litemrc_get_budget {
	__u32 context;
};

struct litemrc_set_budget {
	__u32 context;
	__u32 pages;
};

/* Reclaims up to `pages` pages from the programs of a context now. */
struct litemrc_reclaim {
	__u32 context;
	__u32 pages;
};

/*
 * get_dram (only on a device with rank power, like all requests on ranks below) is answered with the number of ranks;
 * whether they are virtual, that is, equal address slices of one rank, which sleeps only if all may; the power states they
 * support (bit n: state n); chips in parallel in a rank; DRAM cycles per system cycle; the part of the array that
 * self_refresh_partial retains (part of set_rank_loss); and the name of the chips.
 */
enum litemrc_power_state {
	LITEMRC_POWER_STATE_AWAKE = 0,
	LITEMRC_POWER_STATE_POWER_DOWN = 2,
	LITEMRC_POWER_STATE_SELF_REFRESH = 3,
	LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL = 4,
};

/*
 * The sleep policy of the domains. none: only requests; static: every idle domain, to static_state; dynamic: idle domains
 * by two thresholds, in cycles (0: never); mrc: domains without a page of the working set, to mrc_state, and the others by
 * the policy mrc_base.
 */
enum litemrc_rank_policy {
	LITEMRC_RANK_POLICY_NONE = 0,
	LITEMRC_RANK_POLICY_STATIC = 1,
	LITEMRC_RANK_POLICY_DYNAMIC = 2,
	LITEMRC_RANK_POLICY_MRC = 3,
};

struct litemrc_set_rank_policy {
	__u32 policy;		/* enum litemrc_rank_policy */
	__u32 static_state;	/* enum litemrc_power_state */
	__u32 mrc_state;	/* enum litemrc_power_state */
	__u32 mrc_base;		/* enum litemrc_rank_policy */
	__u32 threshold_power_down;
	__u32 threshold_self_refresh;
};

/*
 * Puts a domain into a state as soon as it is idle, until an access or another request wakes it. Refused: the domain that
 * contains the device's program (busy); a state that loses data, if the domain may not (bad_argument).
 */
struct litemrc_set_rank_state {
	__u32 domain;
	__u32 state;		/* enum litemrc_power_state */
};

/*
 * Size of each context's working set in page groups. automatic: at each epoch's end the smallest size with at most
 * epsilon / 2^16 of the context's hits beyond it.
 */
struct litemrc_set_working_set {
	__u32 automatic;	/* bool */
	__u32 groups;
	__u32 epsilon;
};

/*
 * Whether a domain may lose data in self_refresh_partial, and the part of every rank that retains data then (encoded as in
 * the gateware's register partial). Refused (busy): pages of the domain are live.
 */
struct litemrc_set_rank_loss {
	__u32 domain;
	__u32 allowed;		/* bool */
	__u32 part;
};

/*
 * Starts or renews the host's lease on rank policy, working set and budgets, in cycles. When the lease expires, or at once
 * with 0, policy and working set are restored to their values at its start. Budgets of the pager are lifted; memory.high and
 * memory.low of cgroups are restored to their values before the host's first budget. A device whose lease expired logs that.
 */
struct litemrc_set_lease {
	__u32 cycles;
};

/*
 * get_ref_counters (only on a device with reference counters, like all requests below up to set_traffic) is answered with
 * the pages; log2 of a page's bytes; bits of a counter; number of masters and of contexts; events lost, and accesses lost
 * before the counters, since reset.
 *
 * A counter of all pages: its initial value; the accesses that it counts (1 reads, 2 writes, 3 both); their masters and
 * contexts, a bit each; first and last page; in the ack also whether counting is enabled. Arming it loads the initial values
 * of both counters of every page and enables counting; with initial 0 this counter does not count. Refused (busy) while a
 * program of the device uses the counters.
 */
struct litemrc_get_counter {
	__u32 counter;		/* enum litemrc_page_counter */
};

struct litemrc_arm_counter {
	__u32 counter;		/* enum litemrc_page_counter */
	__u32 initial;
	__u32 accesses;
	__u32 masters;		/* bits: enum litemrc_master */
	__u32 contexts;
	__u32 lower;
	__u32 upper;
};

/* The processor through its L2 cache, the processor through the remote window (uncached), the traffic generator. */
enum litemrc_master { LITEMRC_MASTER_CPU = 0, LITEMRC_MASTER_REMOTE = 1, LITEMRC_MASTER_TRAFFIC = 2 };

/* Enables or disables counting; the counters keep their values. */
struct litemrc_count_requests {
	__u32 on;		/* bool */
};

/* The value of one page's counter; setting it re-arms it. Refused (busy) as above. */
struct litemrc_get_count {
	__u32 counter;		/* enum litemrc_page_counter */
	__u32 page;
};

struct litemrc_set_count {
	__u32 counter;		/* enum litemrc_page_counter */
	__u32 page;
	__u32 value;
};

/*
 * The traffic generator. Setting it starts `count` accesses to the 2^words_log2 words from base on: at random, or each
 * `stride` words after the previous one; `writes` of 256 are writes, which change no byte; `gap` cycles lie between two. The
 * stream restarts from the seed. The acks have the accesses left, and log2 of the bytes of a word and of the memory's words.
 */
struct litemrc_set_traffic {
	__u32 base;
	__u32 words_log2;
	__u32 random;		/* bool */
	__u32 stride;
	__u32 writes;
	__u32 gap;
	__u32 seed;
	__u32 count;
};

/*
 * Makes a context follow a cgroup with those below it (context 0: one that follows it already, or a free one). The path is
 * from the root of cgroup v2. The ack is that of get_process, and the context. Refused: a cgroup that the device's
 * administrator did not list (bad_argument); no context is free, or the context is in use (busy).
 */
struct litemrc_follow_cgroup {
	__u32 context;
	char path[LITEMRC_PATH_MAX];
};

/*
 * measure_fault_cost starts a measurement of a fault's cost: the time of a page's return from swap, with the eviction that
 * it forces. get_fault_cost: number of blocks; faults in them; 10th, 50th and 90th percentile over the blocks of the mean
 * time of a fault, in ns. Refused (busy) while it runs.
 *
 * Whether writes count apart from reads (LITEMRC_EPOCH_SPLIT): those to the pages of context c in context c + contexts / 2.
 * Contexts from contexts / 2 on then own no pages: they are refused as context of a program and of set_context
 * (bad_argument), and turning it on is refused while a program has one (busy). Setting it clears, like the request clear.
 */
struct litemrc_set_split {
	__u32 on;		/* bool */
};

/*
 * Hot pages (unsupported: the device has none). What is counted, in frames lower to upper: reads, writes, 1 access of
 * 2^sampling_log2. A page is hot from `threshold` accesses on; `wanted` pages at most are listed. always_on: pages are also
 * queued as soon as they are hot, and the queued messages wait for `watermark` of them. Setting it clears, like the request
 * clear. The acks have these values in this order.
 */
struct litemrc_set_hot {
	__u32 enable;		/* 0; 1: pages; 2: rows of the DRAM, by ACTIVATEs: frames are addresses in units of row_bytes */
	__u32 reads;		/* bool */
	__u32 writes;		/* bool */
	__u32 always_on;	/* bool */
	__u32 sampling_log2;
	__u32 threshold;
	__u32 wanted;
	__u32 lower;
	__u32 upper;
	__u32 watermark;
};

/*
 * Which parts of single pages an epoch's record has, from the next one on; neither after boot. The acks have both (0 or 1),
 * and the address of frame 0 in pages, low and high word.
 */
struct litemrc_set_page_messages {
	__u32 accessed;		/* bool */
	__u32 hot;		/* bool */
};

#endif
