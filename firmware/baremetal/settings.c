// SPDX-License-Identifier: BSD-2-Clause
#include "settings.h"

#include "answer.h"
#include "epochs.h"
#include "page_messages.h"

static void acknowledge_range(struct ack_body *ack)
{
	acknowledge(ack, 2, monitor_read(LITEMRC_RANGE_LOWER), monitor_read(LITEMRC_RANGE_UPPER), 0);
}

static void acknowledge_sampling(struct ack_body *ack)
{
	acknowledge(ack, 2, monitor_read(LITEMRC_SAMPLING), monitor_scale_log2(), 0);
}

static void acknowledge_freeze(struct ack_body *ack)
{
	uint32_t control = monitor_read(LITEMRC_CONTROL);

	acknowledge(ack, 3, !!(control & LITEMRC_CONTROL_FREEZE), !!(control & LITEMRC_CONTROL_SINGLE_SHOT),
		    monitor_status(LITEMRC_STATUS_FROZEN));
}

static void acknowledge_split(struct ack_body *ack)
{
	acknowledge(ack, 1, !!(monitor_read(LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT), 0, 0);
}

/* Returns whether the gateware can; if not, nothing is changed. */
static bool set_split(bool split)
{
	uint32_t control = monitor_quieten(), wanted = split ? LITEMRC_CONTROL_SPLIT : 0;
	bool known;

	epochs_keep_settings();
	monitor_control(LITEMRC_CONTROL_SPLIT, wanted);
	known = (monitor_read(LITEMRC_CONTROL) & LITEMRC_CONTROL_SPLIT) == wanted;
	if (known)
		monitor_clear();
	monitor_resume((control & ~LITEMRC_CONTROL_SPLIT) | (known ? wanted : 0));
	return known;
}

static void set_range(uint32_t lower, uint32_t upper)
{
	uint32_t control = monitor_quieten();

	epochs_keep_settings();
	monitor_write(LITEMRC_RANGE_LOWER, lower);
	monitor_write(LITEMRC_RANGE_UPPER, upper);
	monitor_clear();
	monitor_resume(control);
}

/* Returns whether the gateware supports that rate; if not, nothing is changed. */
static bool set_sampling(uint32_t sampling)
{
	uint32_t control = monitor_quieten();
	uint32_t before = monitor_read(LITEMRC_SAMPLING);
	bool known;

	epochs_keep_settings();
	monitor_write(LITEMRC_SAMPLING, sampling);
	known = monitor_read(LITEMRC_SAMPLING) == sampling;
	if (known)
		monitor_clear();
	else
		monitor_write(LITEMRC_SAMPLING, before);
	monitor_resume(control);
	return known;
}

int settings_perform(const struct host_request *request, const struct monitor_parameters *parameters,
		     struct ack_body *ack, const char **reason)
{
	switch (request->type_choice) {
	case host_request_type_set_range_c:
		if (request->set_range.lower > request->set_range.upper)
			return refuse(reason, error_code_bad_argument_c, "lower is above upper");
		if (request->set_range.upper >= parameters->frames)
			return refuse(reason, error_code_bad_argument_c, "upper is beyond the last frame");
		set_range(request->set_range.lower, request->set_range.upper);
		acknowledge_range(ack);
		return 0;
	case host_request_type_get_range_c:
		acknowledge_range(ack);
		return 0;
	case host_request_type_set_sampling_c:
		if (request->set_sampling.sampling > parameters->frames_log2)
			return refuse(reason, error_code_bad_argument_c, "no page would be sampled");
		if (!set_sampling(request->set_sampling.sampling))
			return refuse(reason, error_code_bad_argument_c,
				      "the gateware does not support this sampling rate");
		acknowledge_sampling(ack);
		return 0;
	case host_request_type_get_sampling_c:
		acknowledge_sampling(ack);
		return 0;
	case host_request_type_freeze_c:
		monitor_control(LITEMRC_CONTROL_FREEZE, request->freeze.on ? LITEMRC_CONTROL_FREEZE : 0);
		acknowledge_freeze(ack);
		return 0;
	case host_request_type_single_shot_c:
		monitor_control(LITEMRC_CONTROL_SINGLE_SHOT, request->single_shot.on ? LITEMRC_CONTROL_SINGLE_SHOT : 0);
		acknowledge_freeze(ack);
		return 0;
	case host_request_type_arm_c:
		monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_ARM);
		acknowledge_freeze(ack);
		return 0;
	case host_request_type_get_freeze_c:
		acknowledge_freeze(ack);
		return 0;
	case host_request_type_set_split_c:
		if (parameters->contexts < 2)
			return refuse(reason, error_code_unsupported_c, "the monitor has a single context");
		if (!set_split(request->set_split.on))
			return refuse(reason, error_code_unsupported_c, "the gateware cannot count writes apart");
		acknowledge_split(ack);
		return 0;
	case host_request_type_get_split_c:
		acknowledge_split(ack);
		return 0;
	default:
		return page_messages_perform(request, parameters, ack, reason);
	}
}
