// SPDX-License-Identifier: BSD-2-Clause
#include "requests/setting_requests.h"

#include <errno.h>

#include "budgets/lease.h"
#include "driver/driver.h"
#include "processes/runs.h"

static int acknowledge_epoch(struct answer *answer)
{
	uint32_t length;
	bool cycles;
	int error = driver_epoch_length(&cycles, &length);

	if (!error)
		acknowledge(answer, 2, cycles ? epoch_unit_cycles_c : epoch_unit_accesses_c, length, 0);
	return refuse_errno(answer, error);
}

static int acknowledge_range(struct answer *answer)
{
	uint32_t bounds[2];
	int error = driver_numbers(SETTING_RANGE, bounds, 2);

	if (!error)
		acknowledge(answer, 2, bounds[0], bounds[1], 0);
	return refuse_errno(answer, error);
}

static int acknowledge_sampling(struct answer *answer)
{
	uint32_t sampling, scale;
	int error = driver_numbers(SETTING_SAMPLING, &sampling, 1);

	if (!error)
		error = driver_numbers(SETTING_SCALE, &scale, 1);
	if (!error)
		acknowledge(answer, 2, sampling, scale, 0);
	return refuse_errno(answer, error);
}

static int acknowledge_freeze(struct answer *answer)
{
	uint32_t freeze, single_shot, frozen;
	int error = driver_numbers(SETTING_FREEZE, &freeze, 1);

	if (!error)
		error = driver_numbers(SETTING_SINGLE_SHOT, &single_shot, 1);
	if (!error)
		error = driver_numbers(SETTING_FROZEN, &frozen, 1);
	if (!error)
		acknowledge(answer, 3, freeze, single_shot, frozen);
	return refuse_errno(answer, error);
}

static int acknowledge_context(struct answer *answer)
{
	uint32_t context;
	int error = driver_numbers(SETTING_CONTEXT, &context, 1);

	if (!error)
		acknowledge(answer, 1, context, 0, 0);
	return refuse_errno(answer, error);
}

static int set_epoch(const struct set_epoch_body *body, struct answer *answer)
{
	bool cycles = body->unit.epoch_unit_choice == epoch_unit_cycles_c;
	int error;

	if (body->length < parameters.epoch_least)
		return refuse(answer, error_code_bad_argument_c, "shorter than the monitor's window takes to read");
	error = driver_write_setting(SETTING_EPOCH_LENGTH, "%u %s\n", (unsigned int)body->length,
			     cycles ? "cycles" : "accesses");
	return error ? refuse_errno(answer, error) : acknowledge_epoch(answer);
}

static int set_range(const struct set_range_body *body, struct answer *answer)
{
	int error;

	if (body->lower > body->upper)
		return refuse(answer, error_code_bad_argument_c, "lower is above upper");
	if (body->upper >= parameters.frames)
		return refuse(answer, error_code_bad_argument_c, "upper is beyond the last frame");
	error = driver_write_setting(SETTING_RANGE, "%u %u\n", (unsigned int)body->lower, (unsigned int)body->upper);
	return error ? refuse_errno(answer, error) : acknowledge_range(answer);
}

static int set_sampling(uint32_t sampling, struct answer *answer)
{
	int error;

	if (sampling > 31 || parameters.frames >> sampling == 0)
		return refuse(answer, error_code_bad_argument_c, "no page would be sampled");
	error = driver_write_setting(SETTING_SAMPLING, "%u\n", (unsigned int)sampling);
	if (error == -ENODEV)
		return refuse(answer, error_code_bad_argument_c, "the gateware does not support this sampling rate");
	return error ? refuse_errno(answer, error) : acknowledge_sampling(answer);
}

static int switch_freeze(enum setting setting, bool on, struct answer *answer)
{
	int error = driver_write_setting(setting, "%d\n", on);

	return error ? refuse_errno(answer, error) : acknowledge_freeze(answer);
}

static int acknowledge_split(struct answer *answer)
{
	uint32_t split;
	int error = driver_numbers(SETTING_SPLIT, &split, 1);

	if (!error)
		acknowledge(answer, 1, split, 0, 0);
	return refuse_errno(answer, error);
}

/* Frees the contexts of writes whose process has ended. Returns whether nothing uses these contexts. */
static bool free_upper_half(void)
{
	for (uint32_t context = parameters.contexts / 2; context < parameters.contexts; context++) {
		struct litemrc_context now;

		if (runs_in(context) || driver_followed(context, &now) || now.state == LITEMRC_CONTEXT_FOLLOWING)
			return false;
		if (now.state == LITEMRC_CONTEXT_ENDED)
			driver_follow(context, 0);
	}
	return true;
}

static int set_split(bool on, struct answer *answer)
{
	int error;

	if (parameters.contexts < 2)
		return refuse(answer, error_code_unsupported_c, "the monitor has a single context");
	answer->reason = "a context of the upper half, where writes would count, is in use";
	if (on && !free_upper_half())
		return error_code_busy_c;
	error = driver_write_setting(SETTING_SPLIT, "%d\n", on);
	if (error == -ENODEV)
		return refuse(answer, error_code_unsupported_c, "the monitor cannot tell writes from reads");
	return error ? refuse_errno(answer, error) : acknowledge_split(answer);
}

static int order(enum setting setting, uint32_t value, struct answer *answer)
{
	return refuse_errno(answer, driver_write_setting(setting, "%u\n", (unsigned int)value));
}

int settings_perform(const struct host_request *request, struct answer *answer)
{
	switch (request->type_choice) {
	case host_request_type_get_epoch_c:
		return acknowledge_epoch(answer);
	case host_request_type_set_epoch_c:
		return set_epoch(&request->set_epoch, answer);
	case host_request_type_set_engine_c:
		if (request->set_engine.engine.stack_engine_choice != parameters.engine)
			return refuse(answer, error_code_bad_argument_c, "the gateware has the other engine");
		/* fall through */
	case host_request_type_get_engine_c:
		acknowledge(answer, 1, parameters.engine, 0, 0);
		return 0;
	case host_request_type_get_context_c:
		return acknowledge_context(answer);
	case host_request_type_set_context_c:
		return refuse(answer, error_code_unsupported_c, "the kernel switches contexts: use follow");
	case host_request_type_invalidate_c:
		if (request->invalidate.frame >= parameters.frames)
			return error_code_bad_argument_c;
		return order(SETTING_INVALIDATE, request->invalidate.frame, answer);
	case host_request_type_end_epoch_c:
		return order(SETTING_END_EPOCH, 1, answer);
	case host_request_type_monitor_c:
		return order(SETTING_ENABLE, request->monitor.on, answer);
	case host_request_type_clear_c:
		return order(SETTING_CLEAR, 1, answer);
	case host_request_type_get_range_c:
		return acknowledge_range(answer);
	case host_request_type_set_range_c:
		return set_range(&request->set_range, answer);
	case host_request_type_get_sampling_c:
		return acknowledge_sampling(answer);
	case host_request_type_set_sampling_c:
		return set_sampling(request->set_sampling.sampling, answer);
	case host_request_type_get_freeze_c:
		return acknowledge_freeze(answer);
	case host_request_type_freeze_c:
		return switch_freeze(SETTING_FREEZE, request->freeze.on, answer);
	case host_request_type_single_shot_c:
		return switch_freeze(SETTING_SINGLE_SHOT, request->single_shot.on, answer);
	case host_request_type_arm_c:
		return switch_freeze(SETTING_ARM, true, answer);
	case host_request_type_get_split_c:
		return acknowledge_split(answer);
	case host_request_type_set_split_c:
		return set_split(request->set_split.on, answer);
	case host_request_type_set_lease_c:
		lease_set(request->set_lease.cycles);
		acknowledge(answer, 1, request->set_lease.cycles, 0, 0);
		return 0;
	default:	/* reference counters, traffic */
		return refuse(answer, error_code_unsupported_c, "the driver has no reference counters");
	}
}
