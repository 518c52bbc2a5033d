// SPDX-License-Identifier: BSD-2-Clause
#include "service.h"

#include <string.h>

#include "litemrc_options.h"
#include "requests.h"

static struct zcbor_string text_of(const char *text)
{
	return (struct zcbor_string){.value = (const uint8_t *)text, .len = text ? strlen(text) : 0};
}

void service_begin(struct service *service, struct device *device, bool read_only)
{
	service->device = device;
	service->read_only = read_only;
	service->last_request = 0;
	litemrc_receiver_init(&service->receiver, service->buffer, sizeof(service->buffer));
}

void service_hello(struct service *service, uint32_t request, struct device_message *message)
{
	struct device *device = service->device;
	const struct device_parameters *p = &device->parameters;
	struct hello_body *hello = &message->hello;

	message->type_choice = device_message_type_hello_c;
	*hello = (struct hello_body){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION,
		.features = p->features | (service->read_only ? 1u << LITEMRC_FEATURE_READ_ONLY : 0),
		.gateware = p->version,
		.clock_hz = p->clock_hz,
		.page_shift = p->page_shift,
		.frames = p->frames,
		.groups = p->groups,
		.contexts = p->contexts,
		.engine.stack_engine_choice = p->engine,
		.pages = p->pages,
		.running = device->running ? device->running(device) : 0,
		.epoch_messages = device->epochs_sent(device),
		.recent_pages.recent_pages = p->recent_pages,
		.queue_depth.queue_depth = p->queue_depth,
		.ranks.ranks = p->ranks,
		.workloads.workloads_count = p->programs,
		.system.system = text_of(p->system),
		.driver.driver = text_of(p->driver),
		.abi.abi = p->abi,
		.hot_pages.hot_pages = p->hot_pages,
		.identifier.identifier = text_of(p->identifier),
	};
	for (uint32_t i = 0; i < p->programs; i++)
		hello->workloads.workloads[i] = text_of(p->program_names[i]);
}

static int perform_for(struct service *service, const struct host_request *request, int unreadable)
{
	struct answer *answer = &service->answer;

	if (unreadable == error_code_bad_argument_c)
		return refuse(answer, unreadable, "an option of the request is not known to this device");
	if (unreadable)
		return unreadable;
	if (service->read_only && !litemrc_request_reads(request))
		return refuse(answer, error_code_read_only_c, "a socket is for reading: send this over the serial port");
	return request_perform(service->device, request, answer);
}

static void make_reply(struct service *service, const struct host_request *request, int unreadable)
{
	struct answer *answer = &service->answer;
	int error;

	answer->ack = (struct ack_body){.request = request->sequence, .payload.payload.value = answer->payload};
	answer->reason = "";
	error = perform_for(service, request, unreadable);
	if (!error) {
		service->reply.type_choice = device_message_type_ack_c;
		service->reply.ack = answer->ack;
	} else {
		service->reply.type_choice = device_message_type_nak_c;
		service->reply.nak = (struct nak_body){
			.request = request->sequence,
			.error.error_code_choice = error,
			.reason.reason = text_of(answer->reason),
		};
		if (service->reply.nak.reason.reason.len > LITEMRC_NAK_REASON_MAX)
			service->reply.nak.reason.reason.len = LITEMRC_NAK_REASON_MAX;
	}
	service->last_request = request->sequence;
}

struct device_message *service_answer(struct service *service, struct device_message *hello)
{
	struct device_message *message = NULL;
	struct host_request request;
	int unreadable = litemrc_request_decode(&service->receiver, &request);

	if (!unreadable && request.type_choice == host_request_type_hello_c) {
		service_hello(service, request.sequence, hello);
		message = hello;
	} else if (request.sequence) {
		if (request.sequence != service->last_request)
			make_reply(service, &request, unreadable);
		message = &service->reply;
	}
	litemrc_receiver_release(&service->receiver);
	return message;
}
