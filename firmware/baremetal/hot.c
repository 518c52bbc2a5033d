// SPDX-License-Identifier: BSD-2-Clause
#include "hot.h"

#include "answer.h"
#include "epochs.h"

#define FIELD(word, name) (((word) & LITEMRC_HOT_CONTROL_##name) >> LITEMRC_HOT_CONTROL_##name##_SHIFT)
#define PUT(name, value) ((uint32_t)(value) << LITEMRC_HOT_CONTROL_##name##_SHIFT)

static void acknowledge_hot(struct ack_body *ack)
{
	uint32_t control = monitor_read(LITEMRC_HOT_CONTROL);

	ack->values[0] = FIELD(control, ENABLE);
	ack->values[1] = FIELD(control, READS);
	ack->values[2] = FIELD(control, WRITES);
	ack->values[3] = FIELD(control, ALWAYS_ON);
	ack->values[4] = FIELD(control, SAMPLING_LOG2);
	ack->values[5] = monitor_read(LITEMRC_HOT_THRESHOLD);
	ack->values[6] = monitor_read(LITEMRC_HOT_WANTED);
	ack->values[7] = monitor_read(LITEMRC_HOT_LOWER);
	ack->values[8] = monitor_read(LITEMRC_HOT_UPPER);
	ack->values[9] = monitor_read(LITEMRC_HOT_WATERMARK);
	ack->values_count = 10;
}

/* Pages queued before are dropped: they were counted with other settings. */
static void empty_queue(void)
{
	while (monitor_read(LITEMRC_HOT_QUEUE) & LITEMRC_HOT_QUEUE_VALID)
		monitor_write(LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE);
	monitor_write(LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
}

/* Returns whether the gateware has such a threshold; if not, nothing is changed. */
static bool set_hot(const struct set_hot_body *set)
{
	uint32_t control = monitor_quieten();
	uint32_t before = monitor_read(LITEMRC_HOT_THRESHOLD);
	bool known;

	epochs_keep_settings();
	monitor_write(LITEMRC_HOT_THRESHOLD, set->threshold);
	known = monitor_read(LITEMRC_HOT_THRESHOLD) == set->threshold;
	if (known) {
		monitor_write(LITEMRC_HOT_WANTED, set->wanted);
		monitor_write(LITEMRC_HOT_LOWER, set->lower);
		monitor_write(LITEMRC_HOT_UPPER, set->upper);
		monitor_write(LITEMRC_HOT_WATERMARK, set->watermark);
		monitor_write(LITEMRC_HOT_CONTROL,
			      PUT(ENABLE, set->enable) | PUT(READS, set->reads) | PUT(WRITES, set->writes) |
				      PUT(ALWAYS_ON, set->always_on.always_on) |
				      PUT(SAMPLING_LOG2, set->sampling_log2.sampling_log2));
		monitor_clear();
		empty_queue();
	} else {
		monitor_write(LITEMRC_HOT_THRESHOLD, before);
	}
	monitor_resume(control);
	return known;
}

int hot_perform(const struct host_request *request, const struct monitor_parameters *parameters, struct ack_body *ack,
		const char **reason)
{
	const struct set_hot_body *set = &request->set_hot;

	if (request->type_choice == host_request_type_get_hot_c) {
		acknowledge_hot(ack);
		return 0;
	}
	if (!set->reads && !set->writes)
		return refuse(reason, error_code_bad_argument_c, "neither reads nor writes would be counted");
	if (set->lower > set->upper || set->upper >= parameters->frames)
		return refuse(reason, error_code_bad_argument_c, "there is no such range of frames");
	if (!set->wanted || set->wanted > parameters->hot_pages)
		return refuse(reason, error_code_bad_argument_c, "the list length must be 1 to the number of its places");
	if (!set->watermark || set->watermark > LITEMRC_HOT_QUEUED_MAX)
		return refuse(reason, error_code_bad_argument_c, "the watermark is from 1 to the places of the queue");
	if (!set->threshold || !set_hot(set))
		return refuse(reason, error_code_bad_argument_c, "no count reaches this threshold, or it is 0");
	acknowledge_hot(ack);
	return 0;
}
