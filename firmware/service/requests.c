// SPDX-License-Identifier: BSD-2-Clause
#include "requests.h"

#include <string.h>

#include "litemrc_regs.h"

/* Link and gateware number these alike. */
_Static_assert((int)stack_engine_group_stack_c == LITEMRC_ENGINE_GROUP_STACK, "group_stack");
_Static_assert((int)stack_engine_bucket_stack_c == LITEMRC_ENGINE_BUCKET_STACK, "bucket_stack");
_Static_assert((int)power_state_power_down_c == LITEMRC_POWER_POWER_DOWN, "power_down");
_Static_assert((int)power_state_self_refresh_c == LITEMRC_POWER_SELF_REFRESH, "self_refresh");
_Static_assert((int)power_state_self_refresh_partial_c == LITEMRC_POWER_SELF_REFRESH_PARTIAL, "partial");
_Static_assert((int)rank_policy_static_c == LITEMRC_POLICY_STATIC, "static");
_Static_assert((int)rank_policy_dynamic_c == LITEMRC_POLICY_DYNAMIC, "dynamic");
_Static_assert((int)rank_policy_mrc_c == LITEMRC_POLICY_MRC, "mrc");
_Static_assert((int)page_counter_delay_c == LITEMRC_COUNTER_DELAY, "delay");
_Static_assert((int)page_counter_update_c == LITEMRC_COUNTER_UPDATE, "update");
_Static_assert(LITEMRC_MASTER_CPU == LITEMRC_REFS_MASTER_CPU, "cpu");
_Static_assert(LITEMRC_MASTER_REMOTE == LITEMRC_REFS_MASTER_REMOTE, "remote");
_Static_assert(LITEMRC_MASTER_TRAFFIC == LITEMRC_REFS_MASTER_TRAFFIC, "traffic");

#define BAD_ARGUMENT(why) refuse(answer, error_code_bad_argument_c, why)
#define UNSUPPORTED(why) refuse(answer, error_code_unsupported_c, why)

void answer_values(struct answer *answer, size_t count, const uint32_t *values)
{
	memcpy(answer->ack.values, values, count * sizeof(values[0]));
	answer->ack.values_count = count;
}

void answer_text(struct answer *answer, const char *text)
{
	size_t length = strlen(text);

	answer->ack.payload.payload.len = length < sizeof(answer->payload) ? length : sizeof(answer->payload);
	memcpy(answer->payload, text, answer->ack.payload.payload.len);
}

static int get(struct device *device, struct answer *answer, enum device_setting setting, uint32_t first, uint32_t second)
{
	return device->get(device, setting, (const uint32_t[]){first, second}, answer);
}

/* Sets the values; the answer has those in force, or is empty. */
static int change(struct device *device, struct answer *answer, enum device_setting setting, const uint32_t *values)
{
	return device->set(device, setting, values, answer);
}

static int change_and_get(struct device *device, struct answer *answer, enum device_setting setting, const uint32_t *values)
{
	int error = change(device, answer, setting, values);

	return error ? error : get(device, answer, setting, values[0], 0);
}

#define SET(setting, ...) change(device, answer, setting, (const uint32_t[]){__VA_ARGS__})
#define SET_AND_GET(setting, ...) change_and_get(device, answer, setting, (const uint32_t[]){__VA_ARGS__})
#define GET(setting) get(device, answer, setting, 0, 0)

uint32_t device_owners(struct device *device)
{
	struct answer split = {.reason = ""};

	if (device->parameters.contexts < 2 || device->get(device, DEVICE_SPLIT, NULL, &split) || !split.ack.values[0])
		return device->parameters.contexts;
	return device->parameters.contexts / 2;
}

int device_check_owner(struct device *device, struct answer *answer, uint32_t context)
{
	if (context >= device->parameters.contexts)
		return BAD_ARGUMENT("there is no such context");
	if (context >= device_owners(device))
		return BAD_ARGUMENT("writes count in the upper half of the contexts (split)");
	return 0;
}

/* ----------------------------------------------------------------------------------------------- monitor */

static int set_epoch(struct device *device, const struct set_epoch_body *set, struct answer *answer)
{
	if (!set->length)
		return BAD_ARGUMENT("an epoch needs a length");
	if (set->length < device->parameters.epoch_least)
		return BAD_ARGUMENT("shorter than the monitor's window takes to read");
	return SET_AND_GET(DEVICE_EPOCH_LENGTH, set->unit.epoch_unit_choice, set->length);
}

static int set_context(struct device *device, uint32_t context, struct answer *answer)
{
	int error = device_check_owner(device, answer, context);

	return error ? error : SET_AND_GET(DEVICE_CONTEXT, context);
}

static int set_range(struct device *device, const struct set_range_body *set, struct answer *answer)
{
	if (set->lower > set->upper)
		return BAD_ARGUMENT("lower is above upper");
	if (set->upper >= device->parameters.frames)
		return BAD_ARGUMENT("upper is beyond the last frame");
	return SET_AND_GET(DEVICE_RANGE, set->lower, set->upper);
}

static int set_sampling(struct device *device, uint32_t sampling, struct answer *answer)
{
	if (sampling > 31 || !(device->parameters.frames >> sampling))
		return BAD_ARGUMENT("no page would be sampled");
	return SET_AND_GET(DEVICE_SAMPLING, sampling);
}

static int monitor_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	const struct device_parameters *p = &device->parameters;
	int error;

	switch (request->type_choice) {
	case host_request_type_get_epoch_c:
		return GET(DEVICE_EPOCH_LENGTH);
	case host_request_type_set_epoch_c:
		return set_epoch(device, &request->set_epoch, answer);
	case host_request_type_set_engine_c:
		if (request->set_engine.engine.stack_engine_choice != p->engine)
			return BAD_ARGUMENT("the device has another engine");
		/* fall through */
	case host_request_type_get_engine_c:
		ANSWER(answer, p->engine);
		return 0;
	case host_request_type_get_context_c:
		return GET(DEVICE_CONTEXT);
	case host_request_type_set_context_c:
		return set_context(device, request->set_context.context, answer);
	case host_request_type_invalidate_c:
		if (request->invalidate.frame >= p->frames)
			return BAD_ARGUMENT("there is no such frame");
		return device->order(device, DEVICE_INVALIDATE, request->invalidate.frame, answer);
	case host_request_type_end_epoch_c:
		return device->order(device, DEVICE_END_EPOCH, 0, answer);
	case host_request_type_monitor_c:
		return SET(DEVICE_ENABLE, request->monitor.on);
	case host_request_type_clear_c:
		return device->order(device, DEVICE_CLEAR, 0, answer);
	case host_request_type_get_range_c:
		return GET(DEVICE_RANGE);
	case host_request_type_set_range_c:
		return set_range(device, &request->set_range, answer);
	case host_request_type_get_sampling_c:
		return GET(DEVICE_SAMPLING);
	case host_request_type_set_sampling_c:
		return set_sampling(device, request->set_sampling.sampling, answer);
	case host_request_type_get_freeze_c:
		return GET(DEVICE_FREEZE);
	case host_request_type_freeze_c:
		return SET_AND_GET(DEVICE_FREEZE, request->freeze.on);
	case host_request_type_single_shot_c:
		error = SET(DEVICE_SINGLE_SHOT, request->single_shot.on);
		return error ? error : GET(DEVICE_FREEZE);
	case host_request_type_arm_c:
		error = device->order(device, DEVICE_ARM, 0, answer);
		return error ? error : GET(DEVICE_FREEZE);
	case host_request_type_get_split_c:
		return GET(DEVICE_SPLIT);
	default: /* set_split */
		if (p->contexts < 2)
			return UNSUPPORTED("the monitor has a single context");
		return SET_AND_GET(DEVICE_SPLIT, request->set_split.on);
	}
}

/* ------------------------------------------------------------------------------------------------- pages */

#define NO_HOT_PAGES "the gateware has no hot pages"

static int set_hot(struct device *device, const struct set_hot_body *set, struct answer *answer)
{
	if (!set->reads && !set->writes)
		return BAD_ARGUMENT("neither reads nor writes would be counted");
	if (set->lower > set->upper || set->upper >= device->parameters.frames)
		return BAD_ARGUMENT("there is no such range of frames");
	if (!set->wanted || set->wanted > device->parameters.hot_pages)
		return BAD_ARGUMENT("the list length must be 1 to the number of its places");
	if (!set->watermark || set->watermark > LITEMRC_HOT_QUEUED_MAX)
		return BAD_ARGUMENT("the watermark is from 1 to the places of the queue");
	if (!set->threshold)
		return BAD_ARGUMENT("the threshold is 0");
	return SET_AND_GET(DEVICE_HOT, set->enable, set->reads, set->writes, set->always_on.always_on,
			   set->sampling_log2.sampling_log2, set->threshold, set->wanted, set->lower, set->upper,
			   set->watermark);
}

static int pages_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	const struct set_page_messages_body *set = &request->set_page_messages;
	int error;

	switch (request->type_choice) {
	case host_request_type_get_hot_c:
		return device_has_hot_pages(device) ? GET(DEVICE_HOT) : UNSUPPORTED(NO_HOT_PAGES);
	case host_request_type_set_hot_c:
		if (!device_has_hot_pages(device))
			return UNSUPPORTED(NO_HOT_PAGES);
		return set_hot(device, &request->set_hot, answer);
	case host_request_type_set_page_messages_c:
		if (set->accessed && !device_has(device, LITEMRC_FEATURE_PAGE_BITMAP))
			return UNSUPPORTED("the gateware has no page bitmap");
		if (set->hot && !device_has_hot_pages(device))
			return UNSUPPORTED(NO_HOT_PAGES);
		error = SET(DEVICE_PAGE_MESSAGES, set->accessed, set->hot);
		if (error)
			return error;
		/* fall through */
	default: /* get_page_messages */
		error = GET(DEVICE_PAGE_MESSAGES);
		answer->ack.values[2] = device->parameters.first_page;
		answer->ack.values[3] = device->parameters.first_page >> 32;
		answer->ack.values_count = 4;
		return error;
	}
}

/* ------------------------------------------------------------------------------------------------- ranks */

static bool can_reach(const struct device *device, uint32_t state)
{
	return device->parameters.power_states >> state & 1;
}

#define CANNOT_REACH "the DRAM cannot reach that state"

static int set_policy(struct device *device, const struct set_rank_policy_body *set, struct answer *answer)
{
	uint32_t of_static = set->static_state.power_state_choice, of_mrc = set->mrc_state.power_state_choice;

	if (!can_reach(device, of_static) || !can_reach(device, of_mrc))
		return BAD_ARGUMENT(CANNOT_REACH);
	if (set->mrc_base.rank_policy_choice == rank_policy_mrc_c)
		return BAD_ARGUMENT("mrc cannot be its own base");
	return SET_AND_GET(DEVICE_RANK_POLICY, set->policy.rank_policy_choice, of_static, of_mrc,
			   set->mrc_base.rank_policy_choice, set->threshold_power_down, set->threshold_self_refresh);
}

static int set_state(struct device *device, uint32_t domain, uint32_t state, struct answer *answer)
{
	int error;

	if (domain >= device->parameters.ranks)
		return BAD_ARGUMENT("there is no such domain");
	if (!can_reach(device, state))
		return BAD_ARGUMENT(CANNOT_REACH);
	if (state == power_state_self_refresh_partial_c) {
		error = get(device, answer, DEVICE_RANK_LOSS, domain, 0);
		if (error)
			return error;
		answer->ack.values_count = 0;
		if (!answer->ack.values[0])
			return BAD_ARGUMENT("the domain's data would be lost: allow that first");
	}
	return SET(DEVICE_RANK_STATE, domain, state);
}

static int set_loss(struct device *device, const struct set_rank_loss_body *set, struct answer *answer)
{
	if (set->domain >= device->parameters.ranks)
		return BAD_ARGUMENT("there is no such domain");
	if (!can_reach(device, power_state_self_refresh_partial_c))
		return BAD_ARGUMENT("the DRAM cannot reach self_refresh_partial");
	return SET(DEVICE_RANK_LOSS, set->domain, set->allowed, set->part);
}

static int ranks_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	const struct set_working_set_body *set = &request->set_working_set;

	if (!device_has(device, LITEMRC_FEATURE_RANK_POWER))
		return UNSUPPORTED("the device has no rank power");
	switch (request->type_choice) {
	case host_request_type_get_dram_c:
		return GET(DEVICE_DRAM);
	case host_request_type_get_rank_policy_c:
		return GET(DEVICE_RANK_POLICY);
	case host_request_type_set_rank_policy_c:
		return set_policy(device, &request->set_rank_policy, answer);
	case host_request_type_set_rank_state_c:
		return set_state(device, request->set_rank_state.domain, request->set_rank_state.state.power_state_choice,
				 answer);
	case host_request_type_set_rank_loss_c:
		return set_loss(device, &request->set_rank_loss, answer);
	case host_request_type_get_working_set_c:
		return GET(DEVICE_WORKING_SET);
	default: /* set_working_set */
		if (set->groups > device->parameters.groups)
			return BAD_ARGUMENT("the stacks have fewer groups");
		return SET_AND_GET(DEVICE_WORKING_SET, set->automatic, set->groups, set->epsilon);
	}
}

/* ------------------------------------------------------------------------------------ reference counters */

#define TOO_WIDE "the value does not fit into the counter"

static int arm_counter(struct device *device, const struct arm_counter_body *arm, struct answer *answer)
{
	const struct device_parameters *p = &device->parameters;

	if (arm->initial >> p->counter_width)
		return BAD_ARGUMENT(TOO_WIDE);
	if (arm->masters >> p->counter_masters || arm->contexts >> p->counter_contexts)
		return BAD_ARGUMENT("there is no such master or context");
	if (arm->lower > arm->upper || arm->upper >= p->counter_pages)
		return BAD_ARGUMENT("there is no such range of pages");
	return SET_AND_GET(DEVICE_COUNTER, arm->counter.page_counter_choice, arm->initial, arm->accesses, arm->masters,
			   arm->contexts, arm->lower, arm->upper);
}

static int counters_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	const struct device_parameters *p = &device->parameters;

	if (!device_has(device, LITEMRC_FEATURE_REF_COUNTERS))
		return UNSUPPORTED("the device has no reference counters");
	switch (request->type_choice) {
	case host_request_type_get_ref_counters_c:
		return GET(DEVICE_REF_COUNTERS);
	case host_request_type_get_counter_c:
		return get(device, answer, DEVICE_COUNTER, request->get_counter.counter.page_counter_choice, 0);
	case host_request_type_arm_counter_c:
		return arm_counter(device, &request->arm_counter, answer);
	case host_request_type_count_requests_c:
		return SET(DEVICE_COUNTING, request->count_requests.on);
	case host_request_type_get_count_c:
		if (request->get_count.page >= p->counter_pages)
			return BAD_ARGUMENT("there is no such page");
		return get(device, answer, DEVICE_COUNT, request->get_count.counter.page_counter_choice,
			   request->get_count.page);
	default: /* set_count */
		if (request->set_count.page >= p->counter_pages)
			return BAD_ARGUMENT("there is no such page");
		if (request->set_count.value >> p->counter_width)
			return BAD_ARGUMENT(TOO_WIDE);
		return SET(DEVICE_COUNT, request->set_count.counter.page_counter_choice, request->set_count.page,
			   request->set_count.value);
	}
}

static int traffic_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	const struct set_traffic_body *set = &request->set_traffic;
	uint32_t words_log2 = device->parameters.traffic_words_log2;

	if (!device_has(device, LITEMRC_FEATURE_TRAFFIC))
		return UNSUPPORTED("the device has no traffic generator");
	if (request->type_choice == host_request_type_get_traffic_c)
		return GET(DEVICE_TRAFFIC);
	if (set->words_log2 > words_log2 || set->base > (1u << words_log2) - (1u << set->words_log2))
		return BAD_ARGUMENT("the range exceeds the memory");
	if (!set->seed)
		return BAD_ARGUMENT("the seed must not be 0");
	return SET_AND_GET(DEVICE_TRAFFIC, set->base, set->words_log2, set->random, set->stride, set->writes, set->gap,
			   set->seed, set->count);
}

/* --------------------------------------------------------------------------------- programs and processes */

/* A context that can follow. */
static int check_follower(struct device *device, struct answer *answer, uint32_t context)
{
	return context ? device_check_owner(device, answer, context) : BAD_ARGUMENT("context 0 is the kernel's");
}

static int run(struct device *device, const struct run_body *run, struct answer *answer)
{
	bool follows = device_has(device, LITEMRC_FEATURE_PROCESSES);
	int error;

	if (!device->run)
		return UNSUPPORTED("the device runs no programs");
	if (run->workload >= device->parameters.programs)
		return BAD_ARGUMENT("there is no such program");
	if (!run->scale)
		return BAD_ARGUMENT("the scale must be 1 or more");
	error = follows ? check_follower(device, answer, run->context) : device_check_owner(device, answer, run->context);
	return error ? error : device->run(device, run->workload, run->context, run->scale, answer);
}

static int follow_cgroup(struct device *device, const struct follow_cgroup_body *follow, struct answer *answer)
{
	char path[LITEMRC_FOLLOW_CGROUP_PATH_MAX + 1];
	int error = follow->context ? device_check_owner(device, answer, follow->context) : 0;

	if (error)
		return error;
	memcpy(path, follow->path.value, follow->path.len);
	path[follow->path.len] = 0;
	if (strlen(path) != follow->path.len)
		return BAD_ARGUMENT("a path has no character 0");
	return device->follow_cgroup(device, follow->context, path, answer);
}

static int processes_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	int error;

	if (!device_has(device, LITEMRC_FEATURE_PROCESSES))
		return UNSUPPORTED("the device has no operating system");
	switch (request->type_choice) {
	case host_request_type_get_process_c:
		if (request->get_process.context >= device->parameters.contexts)
			return BAD_ARGUMENT("there is no such context");
		return get(device, answer, DEVICE_PROCESS, request->get_process.context, 0);
	case host_request_type_follow_c:
		error = check_follower(device, answer, request->follow.context);
		return error ? error : SET_AND_GET(DEVICE_PROCESS, request->follow.context, request->follow.pid);
	case host_request_type_follow_cgroup_c:
		return follow_cgroup(device, &request->follow_cgroup, answer);
	case host_request_type_measure_fault_cost_c:
		return SET(DEVICE_FAULT_COST, 0);
	default: /* get_fault_cost */
		return GET(DEVICE_FAULT_COST);
	}
}

static int budgets_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	bool is_set = request->type_choice == host_request_type_set_budget_c;
	bool is_get = request->type_choice == host_request_type_get_budget_c;
	uint32_t context = is_get ? request->get_budget.context :
			   is_set ? request->set_budget.context : request->reclaim.context;
	uint32_t pages = is_get ? 0 : is_set ? request->set_budget.pages : request->reclaim.pages;
	int error;

	if (!device->parameters.budgets)
		return UNSUPPORTED("the device has no budgets of memory");
	if (context >= device->parameters.contexts)
		return BAD_ARGUMENT("there is no such context");
	if (is_get)
		return get(device, answer, DEVICE_BUDGET, context, 0);
	if (!pages || (pages > device->parameters.frames && !(is_set && pages == LITEMRC_NO_BUDGET)))
		return BAD_ARGUMENT("pages must be 1 to the size of memory");
	error = SET(is_set ? DEVICE_BUDGET : DEVICE_RECLAIM, context, pages);
	return error ? error : get(device, answer, DEVICE_BUDGET, context, 0);
}

/* ------------------------------------------------------------------------------------------------- lease */

static bool restore(struct device *device, enum device_setting setting, const uint32_t *values)
{
	struct answer nobody = {.reason = ""};

	return !device->set(device, setting, values, &nobody);
}

static bool save(struct device *device, enum device_setting setting, uint32_t *values, size_t count)
{
	struct answer found = {.reason = ""};

	if (device->get(device, setting, NULL, &found))
		return false;
	memcpy(values, found.ack.values, count * sizeof(values[0]));
	return true;
}

#define COUNT(values) (sizeof(values) / sizeof((values)[0]))

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

static int set_lease(struct device *device, uint32_t cycles, struct answer *answer)
{
	if (!device_has(device, LITEMRC_FEATURE_LEASE))
		return UNSUPPORTED("nothing here ends a lease when its host vanishes");
	device->lease(device, cycles);
	if (!cycles) {
		device_end_lease(device);
	} else if (!device->leased) {
		device->saved = device_has(device, LITEMRC_FEATURE_RANK_POWER) &&
				save(device, DEVICE_RANK_POLICY, device->saved_policy, COUNT(device->saved_policy)) &&
				save(device, DEVICE_WORKING_SET, device->saved_working_set,
				     COUNT(device->saved_working_set));
		device->leased = true;
	}
	ANSWER(answer, cycles);
	return 0;
}

/* ------------------------------------------------------------------------------------------------------- */

static int echo(struct device *device, const struct zcbor_string *sent, struct answer *answer)
{
	answer->ack.payload.payload.len = sent->len;
	memcpy(answer->payload, sent->value, sent->len);
	return device->echo ? device->echo(device, sent->value, sent->len, answer) : 0;
}

int request_perform(struct device *device, const struct host_request *request, struct answer *answer)
{
	switch (request->type_choice) {
	case host_request_type_echo_c:
		return echo(device, &request->echo.payload, answer);
	case host_request_type_run_c:
		return run(device, &request->run, answer);
	case host_request_type_get_process_c:
	case host_request_type_follow_c:
	case host_request_type_follow_cgroup_c:
	case host_request_type_measure_fault_cost_c:
	case host_request_type_get_fault_cost_c:
		return processes_perform(device, request, answer);
	case host_request_type_get_budget_c:
	case host_request_type_set_budget_c:
	case host_request_type_reclaim_c:
		return budgets_perform(device, request, answer);
	case host_request_type_get_dram_c:
	case host_request_type_get_rank_policy_c:
	case host_request_type_set_rank_policy_c:
	case host_request_type_set_rank_state_c:
	case host_request_type_set_rank_loss_c:
	case host_request_type_get_working_set_c:
	case host_request_type_set_working_set_c:
		return ranks_perform(device, request, answer);
	case host_request_type_get_ref_counters_c:
	case host_request_type_get_counter_c:
	case host_request_type_arm_counter_c:
	case host_request_type_count_requests_c:
	case host_request_type_get_count_c:
	case host_request_type_set_count_c:
		return counters_perform(device, request, answer);
	case host_request_type_get_traffic_c:
	case host_request_type_set_traffic_c:
		return traffic_perform(device, request, answer);
	case host_request_type_get_hot_c:
	case host_request_type_set_hot_c:
	case host_request_type_get_page_messages_c:
	case host_request_type_set_page_messages_c:
		return pages_perform(device, request, answer);
	case host_request_type_set_lease_c:
		return set_lease(device, request->set_lease.cycles, answer);
	default:
		return monitor_perform(device, request, answer);
	}
}
