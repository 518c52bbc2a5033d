// SPDX-License-Identifier: BSD-2-Clause
#include "service.h"

#include <generated/csr.h>
#include <generated/soc.h>
#include <irq.h>
#include <string.h>

#include "answer.h"
#include "epochs.h"
#include "lease.h"
#include "link.h"
#include "log.h"
#include "monitor.h"
#include "page_messages.h"
#include "ranks.h"
#include "refs.h"
#include "settings.h"
#include "workloads/workload.h"

#define BOOT_EPOCH_CYCLES (1u << 22)	/* default until the host sets another: 84 ms at 50 MHz */
#define UNKNOWN_OPTION "an option of the request is not known to this firmware"
#define UNIT_IS_CYCLES LITEMRC_CONTROL_EPOCH_UNIT

/* The link and the gateware number the engines alike. */
_Static_assert((int)stack_engine_group_stack_c == LITEMRC_ENGINE_GROUP_STACK, "group_stack");
_Static_assert((int)stack_engine_bucket_stack_c == LITEMRC_ENGINE_BUCKET_STACK, "bucket_stack");

static struct monitor_parameters parameters;
static char identifier[LITEMRC_HELLO_IDENTIFIER_MAX + 1];
static struct litemrc_receiver receiver;
static uint8_t request_buffer[LITEMRC_REQUEST_BUFFER];
static struct device_message reply;	/* kept for a repeated request */
static uint8_t reply_payload[128];
static uint32_t last_request;

static struct run_order order;
static volatile enum { IDLE, ORDERED, RUNNING } state;
static bool lease_ended;	/* and the host has not been notified */

static uint32_t features(void)
{
	return (parameters.page_bitmap ? 1u << LITEMRC_FEATURE_PAGE_BITMAP : 0) |
	       (ranks_domains() ? 1u << LITEMRC_FEATURE_RANK_POWER : 0) | refs_features() |
	       1u << LITEMRC_FEATURE_LEASE;
}

/* LiteX's memory of the identifier has a character in each word, and a 0 behind the last. */
static void read_identifier(void)
{
	const volatile uint32_t *memory = (const volatile uint32_t *)CSR_IDENTIFIER_MEM_BASE;

	for (size_t i = 0; i < sizeof(identifier) - 1 && memory[i]; i++)
		identifier[i] = memory[i];
}

static void send_hello(uint32_t request)
{
	struct hello_body *hello = &link_message.hello;

	link_message.type_choice = device_message_type_hello_c;
	*hello = (struct hello_body){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION,
		.features = features(),
		.gateware = parameters.version,
		.clock_hz = CONFIG_CLOCK_FREQUENCY,
		.page_shift = parameters.page_shift,
		.frames = parameters.frames,
		.groups = parameters.groups,
		.contexts = parameters.contexts,
		.engine.stack_engine_choice = parameters.engine,
		.pages = parameters.pages,
		.running = state == IDLE ? 0 : 1 << order.workload,
		.epoch_messages = epochs_sent(),
		.recent_pages.recent_pages = parameters.recent_pages,
		.queue_depth.queue_depth = parameters.queue_depth,
		.ranks.ranks = ranks_domains() ? ranks_domains() : parameters.ranks,
		.workloads.workloads_count = workload_count,
		.hot_pages.hot_pages = parameters.hot_pages,
		.identifier.identifier.value = (const uint8_t *)identifier,
		.identifier.identifier.len = strlen(identifier),
	};
	for (unsigned int i = 0; i < workload_count; i++) {
		hello->workloads.workloads[i].value = (const uint8_t *)workloads[i].name;
		hello->workloads.workloads[i].len = strlen(workloads[i].name);
	}
	link_send(&link_message);
}

static void refuse_request(uint32_t request, int error, const char *reason)
{
	reply.type_choice = device_message_type_nak_c;
	reply.nak.request = request;
	reply.nak.error.error_code_choice = error;
	reply.nak.reason.reason.value = (const uint8_t *)reason;
	reply.nak.reason.reason.len = strlen(reason);
}

static void set_epoch(bool cycles, uint32_t length)
{
	monitor_control(UNIT_IS_CYCLES, cycles ? UNIT_IS_CYCLES : 0);
	monitor_write(LITEMRC_EPOCH_LENGTH, length);
}

static void acknowledge_epoch(void)
{
	bool cycles = monitor_read(LITEMRC_CONTROL) & UNIT_IS_CYCLES;

	acknowledge(&reply.ack, 2, cycles ? epoch_unit_cycles_c : epoch_unit_accesses_c,
		    monitor_read(LITEMRC_EPOCH_LENGTH), 0);
}

static int no_such_context(const char **reason)
{
	bool split = monitor_owners(parameters.contexts) < parameters.contexts;

	return refuse(reason, error_code_bad_argument_c,
		      split ? "writes count in the upper half of the contexts (split)" : "");
}

/* Executes the request and fills in the reply, an empty ack before. Returns 0 or an error code, some with a reason. */
static int perform(const struct host_request *request, const char **reason)
{
	switch (request->type_choice) {
	case host_request_type_hello_c:		/* answered by send_hello() */
		return 0;
	case host_request_type_echo_c:
		memcpy(reply_payload, request->echo.payload.value, request->echo.payload.len);
		reply.ack.payload.payload.len = request->echo.payload.len;
		return 0;
	case host_request_type_set_epoch_c:
		if (!request->set_epoch.length)
			return error_code_bad_argument_c;
		set_epoch(request->set_epoch.unit.epoch_unit_choice == epoch_unit_cycles_c, request->set_epoch.length);
		acknowledge_epoch();
		return 0;
	case host_request_type_get_epoch_c:
		acknowledge_epoch();
		return 0;
	case host_request_type_set_engine_c:
		if (request->set_engine.engine.stack_engine_choice != parameters.engine)
			return error_code_bad_argument_c;
		acknowledge(&reply.ack, 1, parameters.engine, 0, 0);
		return 0;
	case host_request_type_get_engine_c:
		acknowledge(&reply.ack, 1, parameters.engine, 0, 0);
		return 0;
	case host_request_type_set_context_c:
		if (request->set_context.context >= monitor_owners(parameters.contexts))
			return no_such_context(reason);
		if (state == RUNNING)
			return error_code_busy_c;
		monitor_write(LITEMRC_CONTEXT, request->set_context.context);
		acknowledge(&reply.ack, 1, request->set_context.context, 0, 0);
		return 0;
	case host_request_type_get_context_c:
		acknowledge(&reply.ack, 1, monitor_read(LITEMRC_CONTEXT), 0, 0);
		return 0;
	case host_request_type_invalidate_c:
		if (request->invalidate.frame >= parameters.frames)
			return error_code_bad_argument_c;
		monitor_invalidate(request->invalidate.frame, 1);
		return 0;
	case host_request_type_end_epoch_c:
		monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_END_EPOCH);
		return 0;
	case host_request_type_monitor_c:
		monitor_control(LITEMRC_CONTROL_ENABLE, request->monitor.on ? LITEMRC_CONTROL_ENABLE : 0);
		return 0;
	case host_request_type_clear_c:
		epochs_keep_settings();
		monitor_clear();
		return 0;
	case host_request_type_run_c:
		if (request->run.workload >= workload_count || !request->run.scale)
			return error_code_bad_argument_c;
		if (request->run.context + workloads[request->run.workload].contexts > monitor_owners(parameters.contexts))
			return no_such_context(reason);
		if (state != IDLE)
			return error_code_busy_c;
		order = (struct run_order){request->run.workload, request->run.context, request->run.scale};
		state = ORDERED;
		return 0;
	case host_request_type_set_split_c:
		if (request->set_split.on && state != IDLE &&
		    order.context + workloads[order.workload].contexts > parameters.contexts / 2)
			return refuse(reason, error_code_busy_c, "the program runs in a context that would own no pages");
		return settings_perform(request, &parameters, &reply.ack, reason);
	case host_request_type_set_lease_c:
		lease_set(request->set_lease.cycles);
		acknowledge(&reply.ack, 1, request->set_lease.cycles, 0, 0);
		return 0;
	default:
		return settings_perform(request, &parameters, &reply.ack, reason);
	}
}

static void answer(void)
{
	struct host_request request;
	int error = litemrc_request_decode(&receiver, &request);
	const char *reason = error == error_code_bad_argument_c ? UNKNOWN_OPTION : "";

	if (!error && request.type_choice == host_request_type_hello_c) {
		send_hello(request.sequence);
	} else if (request.sequence) {
		if (request.sequence != last_request) {
			reply.type_choice = device_message_type_ack_c;
			reply.ack = (struct ack_body){
				.request = request.sequence, .payload.payload.value = reply_payload,
			};
			error = error ? error : perform(&request, &reason);
			if (error)
				refuse_request(request.sequence, error, reason);
			last_request = request.sequence;
		}
		link_send(&reply);
	}
	litemrc_receiver_release(&receiver);
}

/* No other message is sent between the messages of an epoch. */
static bool may_send(void)
{
	return link_has_room() && !epochs_halfway();
}

static void send_lease_end(void)
{
	log_line(log_level_warning_c, "the lease ended: rank policy and working set are restored, budgets lifted");
	lease_ended = false;
}

/* The gateware keeps the report until it is acknowledged. */
static void send_command_lost(void)
{
	monitor_write(LITEMRC_COMMAND, LITEMRC_COMMAND_ACKNOWLEDGE);
	log_line(log_level_error_c, "the gateware lost an invalidation or clear; counts are wrong");
}

/* Sends what is due while the link has room. Interrupts are off. */
static void progress(void)
{
	epochs_progress(&parameters);
	page_messages_drain(&parameters, !epochs_halfway());
	refs_progress(!epochs_halfway());
	if (monitor_status(LITEMRC_STATUS_COMMAND_LOST) && may_send())
		send_command_lost();
	if (lease_ended && may_send())
		send_lease_end();
	if (receiver.held && may_send())
		answer();
}

static void note_lease_end(void)
{
	lease_ended = true;
	progress();
}

static void send_event(int kind, const struct run_order *about, uint64_t cycles)
{
	for (bool sent = false; !sent;) {
		irq_setie(0);
		sent = may_send();
		if (sent) {
			link_message.type_choice = device_message_type_event_c;
			link_message.event = (struct event_body){
				.kind.event_kind_choice = kind,
				.workload = about->workload,
				.context = about->context,
				.cycles.cycles = cycles,
				.epoch_messages = epochs_sent(),
			};
			link_send(&link_message);
		}
		irq_setie(1);
	}
}

void service_init(void)
{
	parameters = monitor_parameters();
	read_identifier();
	set_epoch(true, BOOT_EPOCH_CYCLES);
	litemrc_receiver_init(&receiver, request_buffer, sizeof(request_buffer));
	link_init(&receiver, progress);
	epochs_init(progress);
	refs_init(progress);
	lease_init(note_lease_end);
	irq_setie(0);
	send_hello(0);
	irq_setie(1);
}

bool service_take_order(struct run_order *taken)
{
	if (state != ORDERED)
		return false;
	*taken = order;
	state = RUNNING;
	return true;
}

void service_started(const struct run_order *about)
{
	send_event(event_kind_workload_started_c, about, 0);
}

void service_done(const struct run_order *about, uint64_t cycles)
{
	uint32_t last;

	irq_setie(0);
	last = epochs_end();
	irq_setie(1);
	while (!epochs_are_sent(last))
		;
	state = IDLE;
	send_event(event_kind_workload_done_c, about, cycles);
}
