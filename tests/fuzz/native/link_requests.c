// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: the receiver and the service of firmware and litemrcd, over a device whose operations succeed.
 *
 * An input's first byte chooses: its lowest bit 0, the rest is what arrives on the line; 1, it is one request, behind a good CRC.
 * Its second bit: a connection that only reads; the others are taken from the device's features. What reaches an operation is
 * within the limits of device.h, and an answer fits its structure.
 */
#include <stdlib.h>
#include <string.h>

#include "service.h"

#define FRAMES 8192u
#define GROUPS 64u
#define CONTEXTS 8u
#define RANKS 4u
#define PAGES 1024u
#define WORDS_LOG2 22u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Values read: as many as the largest setting has; 1 so that a domain may lose its data. */
static int get(struct device *device, enum device_setting setting, const uint32_t *arguments, struct answer *answer)
{
	(void)device;
	if (setting == DEVICE_RANK_LOSS)
		check(arguments[0] < RANKS);
	if (setting == DEVICE_COUNTER || setting == DEVICE_COUNT)
		check(arguments[0] < 2);
	if (setting == DEVICE_COUNT)
		check(arguments[1] < PAGES);
	if (setting == DEVICE_PROCESS || setting == DEVICE_BUDGET)
		check(arguments[0] < CONTEXTS);
	if (setting == DEVICE_SPLIT)
		ANSWER(answer, 0);
	else
		ANSWER(answer, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	return 0;
}

static int set(struct device *device, enum device_setting setting, const uint32_t *v, struct answer *answer)
{
	(void)device, (void)answer;
	switch (setting) {
	case DEVICE_EPOCH_LENGTH: check(v[0] >= 1 && v[0] <= 2 && v[1]); break;
	case DEVICE_CONTEXT: check(v[0] < CONTEXTS); break;
	case DEVICE_ENABLE:
	case DEVICE_FREEZE:
	case DEVICE_SINGLE_SHOT:
	case DEVICE_SPLIT:
	case DEVICE_COUNTING: check(v[0] < 2); break;
	case DEVICE_RANGE: check(v[0] <= v[1] && v[1] < FRAMES); break;
	case DEVICE_SAMPLING: check(FRAMES >> v[0] && v[0] < 32); break;
	case DEVICE_HOT:
		check(v[0] < 2 && v[1] < 2 && v[2] < 2 && v[3] < 2 && v[4] < 16 && v[5] && v[6] && v[6] <= 128 && v[7] <= v[8] &&
		      v[8] < FRAMES && v[9] && v[9] <= 16);
		break;
	case DEVICE_PAGE_MESSAGES: check(v[0] < 2 && v[1] < 2); break;
	case DEVICE_RANK_POLICY: check(v[0] < 4 && v[1] < 5 && v[2] < 5 && v[3] < 3); break;
	case DEVICE_RANK_STATE: check(v[0] < RANKS && v[1] < 5); break;
	case DEVICE_RANK_LOSS: check(v[0] < RANKS && v[1] < 2 && v[2] < 8); break;
	case DEVICE_WORKING_SET: check(v[0] < 2 && v[1] <= GROUPS && v[2] < 1 << 16); break;
	case DEVICE_COUNTER:
		check(v[0] < 2 && v[1] < 1 << 12 && v[2] && v[2] < 4 && v[3] < 1 << 3 && v[4] < 1 << CONTEXTS && v[5] <= v[6] &&
		      v[6] < PAGES);
		break;
	case DEVICE_COUNT: check(v[0] < 2 && v[1] < PAGES && v[2] < 1 << 12); break;
	case DEVICE_TRAFFIC:
		check(v[1] <= WORDS_LOG2 && v[0] + (UINT64_C(1) << v[1]) <= 1 << WORDS_LOG2 && v[2] < 2 && v[4] <= 256 &&
		      v[5] < 1 << 16 && v[6]);
		break;
	case DEVICE_PROCESS: check(v[0] && v[0] < CONTEXTS); break;
	case DEVICE_BUDGET: check(v[0] < CONTEXTS && v[1] && (v[1] <= FRAMES || v[1] == LITEMRC_NO_BUDGET)); break;
	case DEVICE_RECLAIM: check(v[0] < CONTEXTS && v[1] && v[1] <= FRAMES); break;
	case DEVICE_FAULT_COST: break;
	default: abort();	/* read only */
	}
	return 0;
}

static int give_order(struct device *device, enum device_order order, uint32_t value, struct answer *answer)
{
	(void)device, (void)answer;
	check(order <= DEVICE_INVALIDATE && value < FRAMES);
	return 0;
}

static int run(struct device *device, uint32_t program, uint32_t context, uint32_t scale, struct answer *answer)
{
	(void)device, (void)answer;
	check(program < 2 && context < CONTEXTS && scale);
	return 0;
}

static int follow_cgroup(struct device *device, uint32_t context, const char *path, struct answer *answer)
{
	(void)device;
	check(context < CONTEXTS && strlen(path) <= LITEMRC_PATH_MAX);
	ANSWER(answer, LITEMRC_CONTEXT_FOLLOWING, 0, context);
	answer_text(answer, path);
	return 0;
}

static void lease(struct device *device, uint32_t cycles)
{
	(void)device, (void)cycles;
}

static void end_lease(struct device *device)
{
	(void)device;
}

static uint32_t epoch(struct device *device)
{
	(void)device;
	return 7;
}

static const struct device any_device = {
	.parameters = {
		.features = 0xff & ~(1u << LITEMRC_FEATURE_READ_ONLY), .frames = FRAMES, .groups = GROUPS, .contexts = CONTEXTS,
		.engine = LITEMRC_STACK_ENGINE_GROUP_STACK, .pages = FRAMES, .epoch_least = 1, .ranks = RANKS, .power_states = 0x1d,
		.hot_pages = 128, .counter_pages = PAGES, .counter_width = 12, .counter_masters = 3, .counter_contexts = CONTEXTS,
		.traffic_words_log2 = WORDS_LOG2, .programs = 2, .program_names = {"zipf", "a name of more than 16 bytes"},
	},
	.get = get, .set = set, .order = give_order, .run = run, .follow_cgroup = follow_cgroup, .lease = lease,
	.end_lease = end_lease, .epoch = epoch,
};

static void answer(struct service *service)
{
	/* Of just this length, so that the sanitizer sees the first byte read behind it. */
	struct litemrc_hello hello;
	struct reply reply = service_answer(service, &hello);
	uint8_t *sent = malloc(reply.bytes + 1);
	const struct litemrc_ack *ack = reply.body;

	check(!service->receiver.held);
	if (reply.body)
		memcpy(sent, reply.body, reply.bytes);
	free(sent);
	if (reply.type == LITEMRC_MESSAGE_ACK)
		check(ack->request && reply.bytes >= 8 && reply.bytes <= sizeof(*ack) && ack->values_count <= LITEMRC_VALUES_MAX &&
		      ack->payload_bytes <= LITEMRC_PAYLOAD_MAX);
	else if (reply.type == LITEMRC_MESSAGE_NAK)
		check(reply.bytes >= 8 && reply.bytes <= sizeof(struct litemrc_nak) && service->nak.error);
	else if (reply.body)
		check(reply.bytes == (reply.type ? sizeof(hello) : 7));
}

static void arrive(struct service *service, uint8_t byte)
{
	if (litemrc_receiver_push(&service->receiver, byte))
		answer(service);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t framed[8192];
	struct litemrc_writer writer = {.ring = framed, .mask = sizeof(framed) - 1};
	struct device device = any_device;
	struct service *service;

	if (!size)
		return 0;
	service = malloc(sizeof(*service));	/* what is not initialised is anything */
	memset(service, 0xa5, sizeof(*service));
	memset(&service->answer, 0, sizeof(service->answer));
	device.parameters.features ^= (data[0] >> 2 & 0x3f) & ~(1u << LITEMRC_FEATURE_READ_ONLY);
	service_begin(service, &device, data[0] & 2);
	if (data[0] & 1) {
		if (size <= 4096) {
			litemrc_frame_begin(&writer);
			litemrc_frame_put(&writer, data + 1, size - 1);
			litemrc_frame_end(&writer);
		}
		for (size_t i = 0; i < writer.end; i++)
			arrive(service, framed[i]);
	} else {
		for (size_t i = 1; i < size; i++)
			arrive(service, data[i]);
	}
	free(service);
	return 0;
}
