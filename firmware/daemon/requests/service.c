// SPDX-License-Identifier: BSD-2-Clause
#include "requests/service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "driver/driver.h"
#include "driver/ranks.h"
#include "messages/epochs.h"
#include "messages/outbox.h"
#include "processes/programs.h"
#include "processes/runs.h"
#include "requests/answer.h"
#include "requests/budgets.h"
#include "requests/pages.h"
#include "requests/processes.h"
#include "requests/ranks.h"
#include "requests/settings.h"
#include "system/text.h"

static int tty;
static uint8_t read_ahead[256];
static size_t read_count, read_used;
static struct litemrc_receiver receiver;
static uint8_t request_buffer[LITEMRC_REQUEST_BUFFER];
static struct device_message reply;	/* kept for a repeated request */
static struct answer answer;		/* owns the reply's strings */
static uint32_t last_request;
static unsigned int answered;
static char system_name[49];

static uint32_t features(void)
{
	return (parameters.page_bitmap ? 1u << LITEMRC_FEATURE_PAGE_BITMAP : 0) |
	       (dram.ranks ? 1u << LITEMRC_FEATURE_RANK_POWER : 0) | 1u << LITEMRC_FEATURE_PROCESSES |
	       1u << LITEMRC_FEATURE_LEASE;
}

static void send_hello(uint32_t request)
{
	static struct device_message message;
	struct hello_body *hello = &message.hello;

	message.type_choice = device_message_type_hello_c;
	*hello = (struct hello_body){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION,
		.features = features(),
		.gateware = parameters.version,
		.clock_hz = parameters.clock_hz,
		.page_shift = parameters.page_shift,
		.frames = parameters.frames,
		.groups = parameters.groups,
		.contexts = parameters.contexts,
		.engine.stack_engine_choice = parameters.engine,
		.pages = parameters.pages,
		.running = runs_running(),
		.epoch_messages = epochs_sent(),
		.recent_pages.recent_pages = parameters.recent_pages,
		.queue_depth.queue_depth = parameters.queue_depth,
		.ranks.ranks = parameters.ranks,
		.workloads.workloads_count = program_count,
		.system.system.value = (uint8_t *)system_name,
		.system.system.len = strlen(system_name),
		.driver.driver.value = (uint8_t *)parameters.driver,
		.driver.driver.len = strlen(parameters.driver),
		.abi.abi = LITEMRC_ABI_VERSION,
		.hot_pages.hot_pages = parameters.hot_pages,
	};
	for (uint32_t i = 0; i < program_count; i++) {
		hello->workloads.workloads[i].value = (uint8_t *)programs[i].name;
		hello->workloads.workloads[i].len = strlen(programs[i].name);
	}
	outbox_send(&message);
}

/* Executes the request and fills in the answer, an empty ack before. Returns 0 or an error code. */
static int perform(const struct host_request *request)
{
	switch (request->type_choice) {
	case host_request_type_echo_c:
		memcpy(answer.payload, request->echo.payload.value, request->echo.payload.len);
		answer.ack.payload.payload.len = request->echo.payload.len;
		return 0;
	case host_request_type_run_c:
	case host_request_type_get_process_c:
	case host_request_type_follow_c:
	case host_request_type_follow_cgroup_c:
		return processes_perform(request, &answer);
	case host_request_type_get_budget_c:
	case host_request_type_set_budget_c:
	case host_request_type_reclaim_c:
	case host_request_type_measure_fault_cost_c:
	case host_request_type_get_fault_cost_c:
		return budgets_perform(request, &answer);
	case host_request_type_get_dram_c:
	case host_request_type_get_rank_policy_c:
	case host_request_type_set_rank_policy_c:
	case host_request_type_set_rank_state_c:
	case host_request_type_set_rank_loss_c:
	case host_request_type_get_working_set_c:
	case host_request_type_set_working_set_c:
		return ranks_perform(request, &answer);
	case host_request_type_get_hot_c:
	case host_request_type_set_hot_c:
	case host_request_type_get_page_messages_c:
	case host_request_type_set_page_messages_c:
		return pages_perform(request, &answer);
	default:
		return settings_perform(request, &answer);
	}
}

/* `unreadable`: the error code of a request that was not understood, or 0. */
static void make_reply(const struct host_request *request, int unreadable)
{
	int error;

	answer = (struct answer){.ack.request = request->sequence, .reason = ""};
	answer.ack.payload.payload.value = answer.payload;
	error = unreadable ? unreadable : perform(request);
	if (unreadable == error_code_bad_argument_c)
		answer.reason = "an option of the request is not known to this litemrcd";
	if (!error) {
		reply.type_choice = device_message_type_ack_c;
		reply.ack = answer.ack;
	} else {
		reply.type_choice = device_message_type_nak_c;
		reply.nak = (struct nak_body){
			.request = request->sequence,
			.error.error_code_choice = error,
			.reason.reason.value = (const uint8_t *)answer.reason,
			.reason.reason.len = strnlen(answer.reason, 80),
		};
	}
	last_request = request->sequence;
}

static void answer_held(void)
{
	struct host_request request;
	int unreadable = litemrc_request_decode(&receiver, &request);

	if (!unreadable && request.type_choice == host_request_type_hello_c) {
		send_hello(request.sequence);
		answered++;
	} else if (request.sequence) {
		if (request.sequence != last_request)
			make_reply(&request, unreadable);
		outbox_send(&reply);
		answered++;
		runs_release();
	}
	litemrc_receiver_release(&receiver);
}

void service_init(int port)
{
	struct utsname names;

	tty = port;
	litemrc_receiver_init(&receiver, request_buffer, sizeof(request_buffer));
	if (!uname(&names)) {
		char text[sizeof(names.sysname) + sizeof(names.release)];

		snprintf(text, sizeof(text), "%s %s", names.sysname, names.release);
		copy_name(system_name, sizeof(system_name), text, strlen(text));
	}
	send_hello(0);
}

bool service_can_read(void)
{
	return read_used == read_count;
}

int service_read(void)
{
	ssize_t got = read(tty, read_ahead, sizeof(read_ahead));

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!got)
		return -EIO;	/* hung up */
	read_count = got;
	read_used = 0;
	return 0;
}

void service_progress(void)
{
	for (;;) {
		if (receiver.held) {
			if (!outbox_has_room())
				return;
			answer_held();
		}
		if (read_used == read_count)
			return;
		litemrc_receiver_push(&receiver, read_ahead[read_used++]);
	}
}

unsigned int service_damaged(void)
{
	return receiver.damaged + receiver.oversized;
}

unsigned int service_answered(void)
{
	return answered;
}
