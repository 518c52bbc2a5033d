// SPDX-License-Identifier: BSD-2-Clause
#include "service.h"

#include <string.h>

#include "requests.h"

/*
 * Hosts of protocol 1.x ask by a CBOR array [sequence, 65]. This array [1, 1, 0, version], a hello of theirs up to its version,
 * tells them to update; a type of 2.0 is below CBOR_ARRAY.
 */
#define CBOR_ARRAY 0x80
static const uint8_t former_hello[] = {CBOR_ARRAY | 4, 1, 1, 0, 0x19, LITEMRC_PROTOCOL_VERSION >> 8,
				       LITEMRC_PROTOCOL_VERSION & 0xff};

static void copy_text(char *to, size_t size, const char *text)
{
	memset(to, 0, size);
	if (text)
		memcpy(to, text, strnlen(text, size));
}

void service_begin(struct service *service, struct device *device, bool read_only)
{
	service->device = device;
	service->read_only = read_only;
	service->last_request = 0;
	litemrc_receiver_init(&service->receiver, (uint8_t *)service->buffer, sizeof(service->buffer));
}

struct reply service_hello(struct service *service, uint32_t request, struct litemrc_hello *hello)
{
	struct device *device = service->device;
	const struct device_parameters *p = &device->parameters;

	*hello = (struct litemrc_hello){
		.request = request,
		.protocol = LITEMRC_PROTOCOL_VERSION,
		.features = p->features | (service->read_only ? 1u << LITEMRC_FEATURE_READ_ONLY : 0),
		.gateware = p->version,
		.clock_hz = p->clock_hz,
		.page_shift = p->page_shift,
		.frames = p->frames,
		.groups = p->groups,
		.contexts = p->contexts,
		.engine = p->engine,
		.pages = p->pages,
		.running = device->running ? device->running(device) : 0,
		.epoch = device->epoch(device),
		.recent_pages = p->recent_pages,
		.queue_depth = p->queue_depth,
		.ranks = p->ranks,
		.hot_pages = p->hot_pages,
		.abi = p->abi,
		.banks = p->banks,
		.access_bytes = p->access_bytes,
		.row_bytes = p->row_bytes,
	};
	copy_text(hello->system, sizeof(hello->system), p->system);
	copy_text(hello->driver, sizeof(hello->driver), p->driver);
	copy_text(hello->identifier, sizeof(hello->identifier), p->identifier);
	for (uint32_t i = 0; i < p->programs; i++)
		copy_text(hello->workloads[i], sizeof(hello->workloads[i]), p->program_names[i]);
	return (struct reply){LITEMRC_MESSAGE_HELLO, hello, sizeof(*hello)};
}

static void perform(struct service *service, const struct litemrc_message *message, size_t length)
{
	struct answer *answer = &service->answer;
	int error;

	memset(&answer->ack, 0, sizeof(answer->ack));
	answer->reason = "";
	if (service->read_only && !request_reads(message->type))
		error = refuse(answer, LITEMRC_ERROR_READ_ONLY, "a socket is for reading: send this over the serial port");
	else
		error = request_perform(service->device, message->type, message + 1, length - sizeof(*message), answer);
	service->refused = error;
	answer->ack.request = service->nak.request = service->last_request = message->sequence;
	service->nak.error = error;
	copy_text(service->nak.reason, sizeof(service->nak.reason), answer->reason);
}

/* Without zeros at the end, which the host fills in. */
static struct reply reply_of(const struct service *service)
{
	const struct litemrc_ack *ack = &service->answer.ack;
	size_t bytes = ack->payload_bytes ? offsetof(struct litemrc_ack, payload) + ack->payload_bytes :
					    offsetof(struct litemrc_ack, values) + ack->values_count * sizeof(ack->values[0]);

	if (service->refused)
		return (struct reply){LITEMRC_MESSAGE_NAK, &service->nak,
				      offsetof(struct litemrc_nak, reason) + strnlen(service->nak.reason, LITEMRC_REASON_MAX)};
	return (struct reply){LITEMRC_MESSAGE_ACK, ack, bytes};
}

static struct reply answer_to(struct service *service, struct litemrc_hello *hello)
{
	const struct litemrc_message *message = (const struct litemrc_message *)service->buffer;
	size_t length = service->receiver.message_length;

	if (*(const uint8_t *)message >= CBOR_ARRAY)
		return (struct reply){0, former_hello, sizeof(former_hello)};
	if (length < sizeof(*message) || !message->sequence)
		return (struct reply){0};
	if (message->type == LITEMRC_REQUEST_ASK_HELLO)
		return service_hello(service, message->sequence, hello);
	if (message->sequence != service->last_request)
		perform(service, message, length);
	return reply_of(service);
}

struct reply service_answer(struct service *service, struct litemrc_hello *hello)
{
	struct reply reply = answer_to(service, hello);

	litemrc_receiver_release(&service->receiver);
	return reply;
}
