// SPDX-License-Identifier: BSD-2-Clause
/* Requests to the peer and its answers. */
#include <string.h>

#include "peer.h"

struct peer_monitor monitor = {
	.epoch = {epoch_unit_accesses_c, 1000}, .upper = FRAMES - 1, .on = true,
};
const char *reason;

static struct litemrc_receiver rx;
static uint8_t rx_buffer[LITEMRC_REQUEST_BUFFER];
static struct device_message reply;
static uint8_t reply_payload[128];
static uint32_t last_request, engine = stack_engine_group_stack_c, context;
static bool greeted;

void send_hello(uint32_t request)
{
	static struct device_message message;
	struct hello_body *hello = &message.hello;

	message.type_choice = device_message_type_hello_c;
	*hello = (struct hello_body){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION + 1000 * fault("version"),
		.features = (option.pages ? 1 << LITEMRC_FEATURE_PAGE_BITMAP : 0) |
			    (option.ranks ? 1 << LITEMRC_FEATURE_RANK_POWER : 0) |
			    (option.refs ? 1 << LITEMRC_FEATURE_REF_COUNTERS | 1 << LITEMRC_FEATURE_TRAFFIC : 0) |
			    (option.system ? 1 << LITEMRC_FEATURE_PROCESSES : 0) | 1 << LITEMRC_FEATURE_LEASE,
		.gateware = 2,
		.clock_hz = 1000000,
		.page_shift = 12,
		.frames = FRAMES,
		.groups = GROUPS,
		.contexts = CONTEXTS,
		.engine.stack_engine_choice = stack_engine_group_stack_c,
		.pages = FRAMES,
		.running = runs_running(),
		.epoch_messages = epoch_messages,
		.recent_pages.recent_pages = 4,
		.queue_depth.queue_depth = 512,
		.workloads.workloads_count = WORKLOADS,
		.hot_pages.hot_pages = option.pages ? HOT_PAGES : 0,
	};
	for (int i = 0; i < WORKLOADS; i++) {
		hello->workloads.workloads[i].value = (const uint8_t *)workloads[i];
		hello->workloads.workloads[i].len = strlen(workloads[i]);
	}
	processes_describe(hello);
	ranks_describe(hello);
	send_message(&message);
}

void answer_values(uint32_t first, uint32_t second, uint32_t third, size_t count)
{
	reply.ack.values[0] = first;
	reply.ack.values[1] = second;
	reply.ack.values[2] = third;
	reply.ack.values_count = count;
}

static int perform(const struct host_request *request)
{
	switch (request->type_choice) {
	case host_request_type_echo_c:
		reply.ack.payload.payload.len = request->echo.payload.len;
		memcpy(reply_payload, request->echo.payload.value, request->echo.payload.len);
		return 0;
	case host_request_type_set_epoch_c:
		if (!request->set_epoch.length)
			return error_code_bad_argument_c;
		monitor.epoch[0] = request->set_epoch.unit.epoch_unit_choice;
		monitor.epoch[1] = request->set_epoch.length;
		/* fall through */
	case host_request_type_get_epoch_c:
		answer_values(monitor.epoch[0], monitor.epoch[1], 0, 2);
		return 0;
	case host_request_type_set_engine_c:
		if (request->set_engine.engine.stack_engine_choice != engine)
			return error_code_bad_argument_c;
		/* fall through */
	case host_request_type_get_engine_c:
		answer_values(engine, 0, 0, 1);
		return 0;
	case host_request_type_set_context_c:
		if (request->set_context.context >= (monitor.split ? CONTEXTS / 2 : CONTEXTS))
			return error_code_bad_argument_c;
		context = request->set_context.context;
		/* fall through */
	case host_request_type_get_context_c:
		answer_values(context, 0, 0, 1);
		return 0;
	case host_request_type_end_epoch_c:
		send_epoch(1);
		return 0;
	case host_request_type_run_c:
		return runs_start(&request->run);
	case host_request_type_set_range_c:
		if (request->set_range.lower > request->set_range.upper || request->set_range.upper >= FRAMES) {
			reason = "no such range";
			return error_code_bad_argument_c;
		}
		monitor.lower = request->set_range.lower;
		monitor.upper = request->set_range.upper;
		/* fall through */
	case host_request_type_get_range_c:
		answer_values(monitor.lower, monitor.upper, 0, 2);
		return 0;
	case host_request_type_set_sampling_c:
		if (request->set_sampling.sampling > 13)
			return error_code_bad_argument_c;
		monitor.sampling = request->set_sampling.sampling;
		/* fall through */
	case host_request_type_get_sampling_c:
		answer_values(monitor.sampling, monitor.sampling, 0, 2);
		return 0;
	case host_request_type_freeze_c:
		monitor.frozen = request->freeze.on;
		answer_values(monitor.frozen, monitor.single_shot, monitor.frozen, 3);
		return 0;
	case host_request_type_single_shot_c:
		monitor.single_shot = request->single_shot.on;
		/* fall through */
	case host_request_type_arm_c:
	case host_request_type_get_freeze_c:
		answer_values(monitor.frozen, monitor.single_shot, monitor.frozen, 3);
		return 0;
	case host_request_type_set_split_c:
		monitor.split = request->set_split.on;
		/* fall through */
	case host_request_type_get_split_c:
		answer_values(monitor.split, 0, 0, 1);
		return 0;
	case host_request_type_get_hot_c:
	case host_request_type_set_hot_c:
	case host_request_type_get_page_messages_c:
	case host_request_type_set_page_messages_c:
		return pages_perform(request, &reply.ack);
	case host_request_type_monitor_c:
		monitor.on = request->monitor.on;
		return 0;
	case host_request_type_clear_c:
	case host_request_type_invalidate_c:
		return 0;
	case host_request_type_get_dram_c:
	case host_request_type_get_rank_policy_c:
	case host_request_type_set_rank_policy_c:
	case host_request_type_set_rank_state_c:
	case host_request_type_set_rank_loss_c:
	case host_request_type_get_working_set_c:
	case host_request_type_set_working_set_c:
		return ranks_perform(request, &reply.ack, runs_running());
	case host_request_type_get_ref_counters_c:
	case host_request_type_get_counter_c:
	case host_request_type_arm_counter_c:
	case host_request_type_count_requests_c:
	case host_request_type_get_count_c:
	case host_request_type_set_count_c:
	case host_request_type_get_traffic_c:
	case host_request_type_set_traffic_c:
		return refs_perform(request, &reply.ack);
	case host_request_type_set_lease_c:
		tasks_lease(request->set_lease.cycles);
		return 0;
	default:
		return option.tasks ? tasks_perform(request, runs_context()) :
				      processes_perform(request, &reply.ack);
	}
}

static void answer(void)
{
	struct host_request request;
	int error = litemrc_request_decode(&rx, &request);

	if (fault("silent"))
		return;
	if (!error && request.type_choice == host_request_type_hello_c) {
		greeted = true;
		send_hello(request.sequence);
	} else if (request.sequence) {
		if (request.sequence != last_request) {
			reply.type_choice = device_message_type_ack_c;
			reply.ack = (struct ack_body){.request = request.sequence, .payload.payload.value = reply_payload};
			reason = "";
			error = error ? error : perform(&request);
			if (error) {
				reply.type_choice = device_message_type_nak_c;
				reply.nak.request = request.sequence;
				reply.nak.error.error_code_choice = error;
				reply.nak.reason.reason.value = (const uint8_t *)reason;
				reply.nak.reason.reason.len = strlen(reason);
			}
			last_request = request.sequence;
		}
		send_message(&reply);
	}
	litemrc_receiver_release(&rx);
}

void requests_init(void)
{
	litemrc_receiver_init(&rx, rx_buffer, sizeof(rx_buffer));
}

void requests_receive(void)
{
	line_receive(&rx, answer);
}

bool requests_greeted(void)
{
	return greeted;
}
