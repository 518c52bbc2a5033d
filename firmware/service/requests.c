// SPDX-License-Identifier: BSD-2-Clause
#include "requests.h"

#include <string.h>

#include "litemrc_regs.h"

/* Link and gateware number these alike. */
_Static_assert((int)LITEMRC_STACK_ENGINE_GROUP_STACK == LITEMRC_ENGINE_GROUP_STACK, "group_stack");
_Static_assert((int)LITEMRC_STACK_ENGINE_BUCKET_STACK == LITEMRC_ENGINE_BUCKET_STACK, "bucket_stack");
_Static_assert((int)LITEMRC_POWER_STATE_POWER_DOWN == LITEMRC_POWER_POWER_DOWN, "power_down");
_Static_assert((int)LITEMRC_POWER_STATE_SELF_REFRESH == LITEMRC_POWER_SELF_REFRESH, "self_refresh");
_Static_assert((int)LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL == LITEMRC_POWER_SELF_REFRESH_PARTIAL, "partial");
_Static_assert((int)LITEMRC_RANK_POLICY_STATIC == LITEMRC_POLICY_STATIC, "static");
_Static_assert((int)LITEMRC_RANK_POLICY_DYNAMIC == LITEMRC_POLICY_DYNAMIC, "dynamic");
_Static_assert((int)LITEMRC_RANK_POLICY_MRC == LITEMRC_POLICY_MRC, "mrc");
_Static_assert((int)LITEMRC_PAGE_COUNTER_DELAY == LITEMRC_COUNTER_DELAY, "delay");
_Static_assert((int)LITEMRC_PAGE_COUNTER_UPDATE == LITEMRC_COUNTER_UPDATE, "update");
_Static_assert((int)LITEMRC_MASTER_CPU == LITEMRC_REFS_MASTER_CPU, "cpu");
_Static_assert((int)LITEMRC_MASTER_REMOTE == LITEMRC_REFS_MASTER_REMOTE, "remote");
_Static_assert((int)LITEMRC_MASTER_TRAFFIC == LITEMRC_REFS_MASTER_TRAFFIC, "traffic");
_Static_assert(sizeof(((struct litemrc_queued *)0)->frames) / sizeof(uint32_t) == LITEMRC_HOT_QUEUED_MAX, "queued");

/* The structure of any request. Its words are the values of a setting, in the order of enum device_setting's. */
union body {
	struct litemrc_echo echo;
	struct litemrc_set_epoch set_epoch;
	struct litemrc_run run;
	struct litemrc_set_range set_range;
	struct litemrc_set_rank_policy set_rank_policy;
	struct litemrc_set_working_set set_working_set;
	struct litemrc_arm_counter arm_counter;
	struct litemrc_set_count set_count;
	struct litemrc_set_traffic set_traffic;
	struct litemrc_follow_cgroup follow_cgroup;
	struct litemrc_set_hot set_hot;
	uint32_t words[LITEMRC_REQUEST_BYTES_MAX / sizeof(uint32_t)];
};

typedef int (*performer)(struct device *device, const union body *body, struct answer *answer);

#define BAD_ARGUMENT(why) refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, why)
#define UNSUPPORTED(why) refuse(answer, LITEMRC_ERROR_UNSUPPORTED, why)

/* Refuses a value from `count` on, as 2 for a switch. */
#define CHECK_BELOW(count, value, why) \
	do { \
		if ((value) >= (count)) \
			return BAD_ARGUMENT(why); \
	} while (0)
#define CHECK_SWITCH(value) CHECK_BELOW(2u, value, "a switch is 0 or 1")

void answer_values(struct answer *answer, size_t count, const uint32_t *values)
{
	memcpy(answer->ack.values, values, count * sizeof(values[0]));
	answer->ack.values_count = count;
}

void answer_text(struct answer *answer, const char *text)
{
	answer->ack.payload_bytes = strnlen(text, sizeof(answer->ack.payload));
	memcpy(answer->ack.payload, text, answer->ack.payload_bytes);
}

static int get(struct device *device, struct answer *answer, enum device_setting setting, const uint32_t *arguments)
{
	return device->get(device, setting, arguments, answer);
}

static int set(struct device *device, struct answer *answer, enum device_setting setting, const union body *body)
{
	return device->set(device, setting, body->words, answer);
}

/* The answer has the values in force. */
static int set_and_get(struct device *device, struct answer *answer, enum device_setting setting, const union body *body)
{
	int error = set(device, answer, setting, body);

	return error ? error : get(device, answer, setting, body->words);
}

uint32_t device_owners(struct device *device)
{
	struct answer split = {.reason = ""};

	if (device->parameters.contexts < 2 || device->get(device, DEVICE_SPLIT, NULL, &split) || !split.ack.values[0])
		return device->parameters.contexts;
	return device->parameters.contexts / 2;
}

static int check_context(struct device *device, struct answer *answer, uint32_t context)
{
	CHECK_BELOW(device->parameters.contexts, context, "there is no such context");
	return 0;
}

int device_check_owner(struct device *device, struct answer *answer, uint32_t context)
{
	int error = check_context(device, answer, context);

	if (!error && context >= device_owners(device))
		return BAD_ARGUMENT("writes count in the upper half of the contexts (split)");
	return error;
}

/* Requests that only read a setting. */
#define GET(name, setting) \
	static int get_##name(struct device *device, const union body *body, struct answer *answer) \
	{ \
		return get(device, answer, setting, body->words); \
	}

GET(epoch, DEVICE_EPOCH_LENGTH)
GET(context, DEVICE_CONTEXT)
GET(range, DEVICE_RANGE)
GET(sampling, DEVICE_SAMPLING)
GET(freeze, DEVICE_FREEZE)
GET(split, DEVICE_SPLIT)
GET(hot, DEVICE_HOT)
GET(dram, DEVICE_DRAM)
GET(rank_policy, DEVICE_RANK_POLICY)
GET(working_set, DEVICE_WORKING_SET)
GET(ref_counters, DEVICE_REF_COUNTERS)
GET(traffic, DEVICE_TRAFFIC)
GET(fault_cost, DEVICE_FAULT_COST)

/* ----------------------------------------------------------------------------------------------- monitor */

static int echo(struct device *device, const union body *body, struct answer *answer)
{
	uint32_t length = body->echo.payload_bytes;

	CHECK_BELOW(LITEMRC_PAYLOAD_MAX + 1u, length, "more bytes than an answer holds");
	answer->ack.payload_bytes = length;
	memcpy(answer->ack.payload, body->echo.payload, length);
	return device->echo ? device->echo(device, body->echo.payload, length, answer) : 0;
}

static int set_epoch(struct device *device, const union body *body, struct answer *answer)
{
	const struct litemrc_set_epoch *wanted = &body->set_epoch;

	if (wanted->unit != LITEMRC_EPOCH_UNIT_ACCESSES && wanted->unit != LITEMRC_EPOCH_UNIT_CYCLES)
		return BAD_ARGUMENT("the unit of an epoch's length is accesses or cycles");
	if (!wanted->length)
		return BAD_ARGUMENT("an epoch needs a length");
	if (wanted->length < device->parameters.epoch_least)
		return BAD_ARGUMENT("shorter than the monitor's window takes to read");
	return set_and_get(device, answer, DEVICE_EPOCH_LENGTH, body);
}

static int get_engine(struct device *device, const union body *body, struct answer *answer)
{
	(void)body;
	ANSWER(answer, device->parameters.engine);
	return 0;
}

static int set_engine(struct device *device, const union body *body, struct answer *answer)
{
	if (body->words[0] != device->parameters.engine)
		return BAD_ARGUMENT("the device has another engine");
	return get_engine(device, body, answer);
}

static int set_context(struct device *device, const union body *body, struct answer *answer)
{
	int error = device_check_owner(device, answer, body->words[0]);

	return error ? error : set_and_get(device, answer, DEVICE_CONTEXT, body);
}

static int invalidate(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_BELOW(device->parameters.frames, body->words[0], "there is no such frame");
	return device->order(device, DEVICE_INVALIDATE, body->words[0], answer);
}

static int end_epoch(struct device *device, const union body *body, struct answer *answer)
{
	(void)body;
	return device->order(device, DEVICE_END_EPOCH, 0, answer);
}

static int clear(struct device *device, const union body *body, struct answer *answer)
{
	(void)body;
	return device->order(device, DEVICE_CLEAR, 0, answer);
}

static int monitor(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_SWITCH(body->words[0]);
	return set(device, answer, DEVICE_ENABLE, body);
}

static int set_range(struct device *device, const union body *body, struct answer *answer)
{
	if (body->set_range.lower > body->set_range.upper)
		return BAD_ARGUMENT("lower is above upper");
	CHECK_BELOW(device->parameters.frames, body->set_range.upper, "upper is beyond the last frame");
	return set_and_get(device, answer, DEVICE_RANGE, body);
}

static int set_sampling(struct device *device, const union body *body, struct answer *answer)
{
	if (body->words[0] > 31 || !(device->parameters.frames >> body->words[0]))
		return BAD_ARGUMENT("no page would be sampled");
	return set_and_get(device, answer, DEVICE_SAMPLING, body);
}

static int freeze(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_SWITCH(body->words[0]);
	return set_and_get(device, answer, DEVICE_FREEZE, body);
}

static int single_shot(struct device *device, const union body *body, struct answer *answer)
{
	int error;

	CHECK_SWITCH(body->words[0]);
	error = set(device, answer, DEVICE_SINGLE_SHOT, body);
	return error ? error : get_freeze(device, body, answer);
}

static int arm(struct device *device, const union body *body, struct answer *answer)
{
	int error = device->order(device, DEVICE_ARM, 0, answer);

	return error ? error : get_freeze(device, body, answer);
}

static int set_split(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_SWITCH(body->words[0]);
	if (device->parameters.contexts < 2)
		return UNSUPPORTED("the monitor has a single context");
	return set_and_get(device, answer, DEVICE_SPLIT, body);
}

/* ------------------------------------------------------------------------------------------------- pages */

#define NO_HOT_PAGES "the gateware has no hot pages"

static int set_hot(struct device *device, const union body *body, struct answer *answer)
{
	const struct litemrc_set_hot *wanted = &body->set_hot;
	const struct device_parameters *p = &device->parameters;
	uint64_t frames = p->frames;

	CHECK_SWITCH(wanted->reads | wanted->writes | wanted->always_on);
	CHECK_BELOW(DEVICE_HOT_OF_ROWS + 1u, wanted->enable, "there is nothing else to list than pages and rows");
	if (wanted->enable == DEVICE_HOT_OF_ROWS && !p->row_bytes)
		return BAD_ARGUMENT("the gateware cannot list rows of the DRAM");
	if (wanted->enable == DEVICE_HOT_OF_ROWS)
		frames = ((uint64_t)p->frames << p->page_shift) / p->row_bytes;
	if (!wanted->reads && !wanted->writes)
		return BAD_ARGUMENT("neither reads nor writes would be counted");
	if (wanted->lower > wanted->upper || wanted->upper >= frames)
		return BAD_ARGUMENT("there is no such range of frames");
	if (!wanted->wanted || wanted->wanted > p->hot_pages)
		return BAD_ARGUMENT("the list length must be 1 to the number of its places");
	if (!wanted->watermark || wanted->watermark > LITEMRC_HOT_QUEUED_MAX)
		return BAD_ARGUMENT("the watermark is from 1 to the places of the queue");
	if (!wanted->threshold)
		return BAD_ARGUMENT("the threshold is 0");
	CHECK_BELOW(16u, wanted->sampling_log2, "1 access of 2^15 is sampled at least");
	return set_and_get(device, answer, DEVICE_HOT, body);
}

static int get_page_messages(struct device *device, const union body *body, struct answer *answer)
{
	int error = get(device, answer, DEVICE_PAGE_MESSAGES, body->words);

	answer->ack.values[2] = device->parameters.first_page;
	answer->ack.values[3] = device->parameters.first_page >> 32;
	answer->ack.values_count = 4;
	return error;
}

static int set_page_messages(struct device *device, const union body *body, struct answer *answer)
{
	uint32_t accessed = body->words[0], hot = body->words[1];
	int error;

	CHECK_SWITCH(accessed | hot);
	if (accessed && !device_has(device, LITEMRC_FEATURE_PAGE_BITMAP))
		return UNSUPPORTED("the gateware has no page bitmap");
	if (hot && !device->parameters.hot_pages)
		return UNSUPPORTED(NO_HOT_PAGES);
	error = set(device, answer, DEVICE_PAGE_MESSAGES, body);
	return error ? error : get_page_messages(device, body, answer);
}

/* ------------------------------------------------------------------------------------------------- ranks */

#define CANNOT_REACH "the DRAM cannot reach that state"

static bool can_reach(const struct device *device, uint32_t state)
{
	return state < 32 && device->parameters.power_states >> state & 1;
}

static int set_rank_policy(struct device *device, const union body *body, struct answer *answer)
{
	const struct litemrc_set_rank_policy *wanted = &body->set_rank_policy;

	if (wanted->policy > LITEMRC_RANK_POLICY_MRC || wanted->mrc_base > LITEMRC_RANK_POLICY_MRC)
		return BAD_ARGUMENT("there is no such policy");
	if (!can_reach(device, wanted->static_state) || !can_reach(device, wanted->mrc_state))
		return BAD_ARGUMENT(CANNOT_REACH);
	if (wanted->mrc_base == LITEMRC_RANK_POLICY_MRC)
		return BAD_ARGUMENT("mrc cannot be its own base");
	return set_and_get(device, answer, DEVICE_RANK_POLICY, body);
}

static int set_rank_state(struct device *device, const union body *body, struct answer *answer)
{
	uint32_t state = body->words[1];
	struct answer loss = {.reason = ""};
	int error;

	CHECK_BELOW(device->parameters.ranks, body->words[0], "there is no such domain");
	if (!can_reach(device, state))
		return BAD_ARGUMENT(CANNOT_REACH);
	if (state == LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL) {
		error = get(device, &loss, DEVICE_RANK_LOSS, body->words);
		if (error)
			return refuse(answer, error, loss.reason);
		if (!loss.ack.values[0])
			return BAD_ARGUMENT("the domain's data would be lost: allow that first");
	}
	return set(device, answer, DEVICE_RANK_STATE, body);
}

static int set_rank_loss(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_BELOW(device->parameters.ranks, body->words[0], "there is no such domain");
	CHECK_SWITCH(body->words[1]);
	CHECK_BELOW(8u, body->words[2], "there is no such part of a rank");
	if (!can_reach(device, LITEMRC_POWER_STATE_SELF_REFRESH_PARTIAL))
		return BAD_ARGUMENT("the DRAM cannot reach self_refresh_partial");
	return set(device, answer, DEVICE_RANK_LOSS, body);
}

static int set_working_set(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_SWITCH(body->set_working_set.automatic);
	CHECK_BELOW(device->parameters.groups + 1, body->set_working_set.groups, "the stacks have fewer groups");
	CHECK_BELOW(1u << 16, body->set_working_set.epsilon, "epsilon is below 2^16");
	return set_and_get(device, answer, DEVICE_WORKING_SET, body);
}

/* ------------------------------------------------------------------------------------ reference counters */

#define NO_COUNTER "there is no such counter"
#define TOO_WIDE "the value does not fit into the counter"

/* Whether a number fits into n bits. */
static bool fits(uint32_t number, uint32_t bits)
{
	return bits >= 32 || !(number >> bits);
}

static int get_counter(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_BELOW(LITEMRC_REFS_COUNTERS + 0u, body->words[0], NO_COUNTER);
	return get(device, answer, DEVICE_COUNTER, body->words);
}

static int arm_counter(struct device *device, const union body *body, struct answer *answer)
{
	const struct litemrc_arm_counter *wanted = &body->arm_counter;
	const struct device_parameters *p = &device->parameters;

	CHECK_BELOW(LITEMRC_REFS_COUNTERS + 0u, wanted->counter, NO_COUNTER);
	if (wanted->accesses < 1 || wanted->accesses > 3)
		return BAD_ARGUMENT("a counter counts reads, writes or both");
	if (!fits(wanted->initial, p->counter_width))
		return BAD_ARGUMENT(TOO_WIDE);
	if (!fits(wanted->masters, p->counter_masters) || !fits(wanted->contexts, p->counter_contexts))
		return BAD_ARGUMENT("there is no such master or context");
	if (wanted->lower > wanted->upper || wanted->upper >= p->counter_pages)
		return BAD_ARGUMENT("there is no such range of pages");
	return set_and_get(device, answer, DEVICE_COUNTER, body);
}

static int count_requests(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_SWITCH(body->words[0]);
	return set(device, answer, DEVICE_COUNTING, body);
}

static int check_count(struct device *device, const union body *body, struct answer *answer)
{
	CHECK_BELOW(LITEMRC_REFS_COUNTERS + 0u, body->words[0], NO_COUNTER);
	CHECK_BELOW(device->parameters.counter_pages, body->words[1], "there is no such page");
	return 0;
}

static int get_count(struct device *device, const union body *body, struct answer *answer)
{
	int error = check_count(device, body, answer);

	return error ? error : get(device, answer, DEVICE_COUNT, body->words);
}

static int set_count(struct device *device, const union body *body, struct answer *answer)
{
	int error = check_count(device, body, answer);

	if (!error && !fits(body->set_count.value, device->parameters.counter_width))
		return BAD_ARGUMENT(TOO_WIDE);
	return error ? error : set(device, answer, DEVICE_COUNT, body);
}

static int set_traffic(struct device *device, const union body *body, struct answer *answer)
{
	const struct litemrc_set_traffic *wanted = &body->set_traffic;
	uint32_t words_log2 = device->parameters.traffic_words_log2;

	CHECK_SWITCH(wanted->random);
	if (wanted->words_log2 > words_log2 || wanted->base > (1u << words_log2) - (1u << wanted->words_log2))
		return BAD_ARGUMENT("the range exceeds the memory");
	CHECK_BELOW(257u, wanted->writes, "at most 256 of 256 accesses are writes");
	CHECK_BELOW(1u << 16, wanted->gap, "a gap is below 2^16 cycles");
	if (!wanted->seed)
		return BAD_ARGUMENT("the seed must not be 0");
	return set_and_get(device, answer, DEVICE_TRAFFIC, body);
}

/* --------------------------------------------------------------------------------- programs and processes */

/* A context that can follow. */
static int check_follower(struct device *device, struct answer *answer, uint32_t context)
{
	return context ? device_check_owner(device, answer, context) : BAD_ARGUMENT("context 0 is the kernel's");
}

static int run(struct device *device, const union body *body, struct answer *answer)
{
	const struct litemrc_run *wanted = &body->run;
	bool follows = device_has(device, LITEMRC_FEATURE_PROCESSES);
	int error;

	if (!device->run)
		return UNSUPPORTED("the device runs no programs");
	CHECK_BELOW(device->parameters.programs, wanted->workload, "there is no such program");
	if (!wanted->scale)
		return BAD_ARGUMENT("the scale must be 1 or more");
	error = follows ? check_follower(device, answer, wanted->context) : device_check_owner(device, answer, wanted->context);
	return error ? error : device->run(device, wanted->workload, wanted->context, wanted->scale, answer);
}

static int get_process(struct device *device, const union body *body, struct answer *answer)
{
	int error = check_context(device, answer, body->words[0]);

	return error ? error : get(device, answer, DEVICE_PROCESS, body->words);
}

static int follow(struct device *device, const union body *body, struct answer *answer)
{
	int error = check_follower(device, answer, body->words[0]);

	return error ? error : set_and_get(device, answer, DEVICE_PROCESS, body);
}

static int follow_cgroup(struct device *device, const union body *body, struct answer *answer)
{
	char path[LITEMRC_PATH_MAX + 1] = {0};
	uint32_t context = body->follow_cgroup.context;
	int error = context ? device_check_owner(device, answer, context) : 0;

	if (error)
		return error;
	memcpy(path, body->follow_cgroup.path, LITEMRC_PATH_MAX);
	for (size_t i = strlen(path); i < LITEMRC_PATH_MAX; i++)
		if (path[i])
			return BAD_ARGUMENT("a path has no character 0");
	return device->follow_cgroup(device, context, path, answer);
}

static int measure_fault_cost(struct device *device, const union body *body, struct answer *answer)
{
	return set(device, answer, DEVICE_FAULT_COST, body);
}

static int get_budget(struct device *device, const union body *body, struct answer *answer)
{
	int error = check_context(device, answer, body->words[0]);

	return error ? error : get(device, answer, DEVICE_BUDGET, body->words);
}

static int change_budget(struct device *device, enum device_setting setting, const union body *body, struct answer *answer)
{
	uint32_t pages = body->words[1];
	bool none = setting == DEVICE_BUDGET && pages == LITEMRC_NO_BUDGET;
	int error = check_context(device, answer, body->words[0]);

	if (error)
		return error;
	if (!pages || (pages > device->parameters.frames && !none))
		return BAD_ARGUMENT("pages must be 1 to the size of memory");
	error = set(device, answer, setting, body);
	return error ? error : get(device, answer, DEVICE_BUDGET, body->words);
}

static int set_budget(struct device *device, const union body *body, struct answer *answer)
{
	return change_budget(device, DEVICE_BUDGET, body, answer);
}

static int reclaim(struct device *device, const union body *body, struct answer *answer)
{
	return change_budget(device, DEVICE_RECLAIM, body, answer);
}

/* ------------------------------------------------------------------------------------------------- lease */

static bool restore(struct device *device, enum device_setting setting, const uint32_t *values)
{
	struct answer nobody = {.reason = ""};

	return !device->set(device, setting, values, &nobody);
}

static bool save(struct device *device, enum device_setting setting, uint32_t *values, size_t bytes)
{
	struct answer found = {.reason = ""};

	if (device->get(device, setting, NULL, &found))
		return false;
	memcpy(values, found.ack.values, bytes);
	return true;
}

void device_end_lease(struct device *device)
{
	if (!device->leased)
		return;
	device->leased = false;
	if (device->saved) {
		device->saved = restore(device, DEVICE_RANK_POLICY, device->saved_policy);
		device->saved &= restore(device, DEVICE_WORKING_SET, device->saved_working_set);
	}
	device->end_lease(device);
}

static int set_lease(struct device *device, const union body *body, struct answer *answer)
{
	uint32_t cycles = body->words[0];

	device->lease(device, cycles);
	if (!cycles) {
		device_end_lease(device);
	} else if (!device->leased) {
		device->saved = device_has(device, LITEMRC_FEATURE_RANK_POWER) &&
				save(device, DEVICE_RANK_POLICY, device->saved_policy, sizeof(device->saved_policy)) &&
				save(device, DEVICE_WORKING_SET, device->saved_working_set,
				     sizeof(device->saved_working_set));
		device->leased = true;
	}
	ANSWER(answer, cycles);
	return 0;
}

/* ------------------------------------------------------------------------------------------------------- */

/* Parts that not every device has, and what is said without them. */
enum part { EVERY, RANKS, REFS, TRAFFIC, HOT, PROCESSES, BUDGETS, LEASE };

static const char *const missing[] = {
	[RANKS] = "the device has no rank power",
	[REFS] = "the device has no reference counters",
	[TRAFFIC] = "the device has no traffic generator",
	[HOT] = NO_HOT_PAGES,
	[PROCESSES] = "the device has no operating system",
	[BUDGETS] = "the device has no budgets of memory",
	[LEASE] = "nothing here ends a lease when its host vanishes",
};

static bool has_part(const struct device *device, enum part part)
{
	static const uint8_t features[] = {
		[RANKS] = LITEMRC_FEATURE_RANK_POWER, [REFS] = LITEMRC_FEATURE_REF_COUNTERS,
		[TRAFFIC] = LITEMRC_FEATURE_TRAFFIC, [PROCESSES] = LITEMRC_FEATURE_PROCESSES,
		[BUDGETS] = LITEMRC_FEATURE_BUDGETS, [LEASE] = LITEMRC_FEATURE_LEASE,
	};

	if (part == HOT)
		return device->parameters.hot_pages;
	return part == EVERY || device_has(device, features[part]);
}

static const struct request {
	performer perform;
	uint8_t words;	/* of the structure */
	uint8_t part;	/* enum part */
	bool reads;
} requests[] = {
#define FIRST LITEMRC_REQUEST_ECHO
#define WORDS(name) (sizeof(struct litemrc_##name) / sizeof(uint32_t))
#define READ(number, name, part) [LITEMRC_REQUEST_##number - FIRST] = {name, 0, part, true}
#define READ_OF(number, name, part) [LITEMRC_REQUEST_##number - FIRST] = {name, WORDS(name), part, true}
#define ORDER(number, name, part) [LITEMRC_REQUEST_##number - FIRST] = {name, 0, part, false}
#define CHANGE(number, name, part) [LITEMRC_REQUEST_##number - FIRST] = {name, WORDS(name), part, false}
	READ_OF(ECHO, echo, EVERY),
	READ(GET_EPOCH, get_epoch, EVERY),
	CHANGE(SET_EPOCH, set_epoch, EVERY),
	READ(GET_ENGINE, get_engine, EVERY),
	CHANGE(SET_ENGINE, set_engine, EVERY),
	READ(GET_CONTEXT, get_context, EVERY),
	CHANGE(SET_CONTEXT, set_context, EVERY),
	CHANGE(INVALIDATE, invalidate, EVERY),
	ORDER(END_EPOCH, end_epoch, EVERY),
	CHANGE(MONITOR, monitor, EVERY),
	ORDER(CLEAR, clear, EVERY),
	CHANGE(RUN, run, EVERY),
	READ(GET_RANGE, get_range, EVERY),
	CHANGE(SET_RANGE, set_range, EVERY),
	READ(GET_SAMPLING, get_sampling, EVERY),
	CHANGE(SET_SAMPLING, set_sampling, EVERY),
	READ(GET_FREEZE, get_freeze, EVERY),
	CHANGE(FREEZE, freeze, EVERY),
	CHANGE(SINGLE_SHOT, single_shot, EVERY),
	ORDER(ARM, arm, EVERY),
	READ_OF(GET_PROCESS, get_process, PROCESSES),
	CHANGE(FOLLOW, follow, PROCESSES),
	READ_OF(GET_BUDGET, get_budget, BUDGETS),
	CHANGE(SET_BUDGET, set_budget, BUDGETS),
	CHANGE(RECLAIM, reclaim, BUDGETS),
	READ(GET_DRAM, get_dram, RANKS),
	READ(GET_RANK_POLICY, get_rank_policy, RANKS),
	CHANGE(SET_RANK_POLICY, set_rank_policy, RANKS),
	CHANGE(SET_RANK_STATE, set_rank_state, RANKS),
	READ(GET_WORKING_SET, get_working_set, RANKS),
	CHANGE(SET_WORKING_SET, set_working_set, RANKS),
	CHANGE(SET_RANK_LOSS, set_rank_loss, RANKS),
	CHANGE(SET_LEASE, set_lease, LEASE),
	READ(GET_REF_COUNTERS, get_ref_counters, REFS),
	READ_OF(GET_COUNTER, get_counter, REFS),
	CHANGE(ARM_COUNTER, arm_counter, REFS),
	CHANGE(COUNT_REQUESTS, count_requests, REFS),
	READ_OF(GET_COUNT, get_count, REFS),
	CHANGE(SET_COUNT, set_count, REFS),
	READ(GET_TRAFFIC, get_traffic, TRAFFIC),
	CHANGE(SET_TRAFFIC, set_traffic, TRAFFIC),
	CHANGE(FOLLOW_CGROUP, follow_cgroup, PROCESSES),
	ORDER(MEASURE_FAULT_COST, measure_fault_cost, PROCESSES),
	READ(GET_FAULT_COST, get_fault_cost, PROCESSES),
	READ(GET_SPLIT, get_split, EVERY),
	CHANGE(SET_SPLIT, set_split, EVERY),
	READ(GET_HOT, get_hot, HOT),
	CHANGE(SET_HOT, set_hot, HOT),
	READ(GET_PAGE_MESSAGES, get_page_messages, EVERY),
	CHANGE(SET_PAGE_MESSAGES, set_page_messages, EVERY),
};

static const struct request *find(uint32_t type)
{
	return type - FIRST < sizeof(requests) / sizeof(requests[0]) ? &requests[type - FIRST] : NULL;
}

bool request_reads(uint32_t type)
{
	const struct request *request = find(type);

	return request && request->reads;
}

int request_perform(struct device *device, uint32_t type, const void *sent, size_t bytes, struct answer *answer)
{
	const struct request *request = find(type);
	union body body = {.words = {0}};
	size_t known = request ? request->words * sizeof(uint32_t) : 0;

	if (!request)
		return refuse(answer, LITEMRC_ERROR_UNKNOWN, "");
	memcpy(&body, sent, bytes < sizeof(body) ? bytes : sizeof(body));
	for (size_t i = known; i < bytes; i++)
		if (((const uint8_t *)sent)[i])
			return BAD_ARGUMENT("a part of the request is not known to this device");
	if (!has_part(device, request->part))
		return UNSUPPORTED(missing[request->part]);
	return request->perform(device, &body, answer);
}
