// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: the decoder of host requests that firmware and litemrcd share.
 *
 * An input's first byte chooses: even, the rest is what arrives on the line; odd, it is the CBOR of one request, behind a good
 * CRC. A request that is accepted can be encoded again, in no more bytes (options that are 0 are left out), and these decode to the
 * same request.
 */
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "litemrc_encode.h"
#include "litemrc_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t encode(struct host_request *request, uint8_t *out)
{
	size_t length;

	litemrc_mark_host_request(request);
	if (cbor_encode_host_request(out, LITEMRC_HOST_REQUEST_MAX, request, &length))
		abort();
	return length;
}

static void take(const uint8_t *message, size_t length)
{
	/* Of just this length, so that the sanitizer sees the first byte read behind it. */
	uint8_t *copy = malloc(length ? length : 1), again[LITEMRC_HOST_REQUEST_MAX], third[LITEMRC_HOST_REQUEST_MAX];
	struct litemrc_receiver rx = {.buffer = copy, .capacity = length, .message_length = length, .held = true};
	struct host_request request;
	size_t encoded;

	memset(&request, 0xa5, sizeof(request));
	memcpy(copy, message, length);
	if (!litemrc_request_decode(&rx, &request)) {
		litemrc_request_reads(&request);
		encoded = encode(&request, again);
		rx = (struct litemrc_receiver){.buffer = again, .capacity = encoded, .message_length = encoded, .held = true};
		if (encoded > length || litemrc_request_decode(&rx, &request) || encode(&request, third) != encoded ||
		    memcmp(again, third, encoded))
			abort();
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t buffer[LITEMRC_REQUEST_BUFFER];
	struct litemrc_receiver rx;

	if (!size)
		return 0;
	if (data[0] & 1) {
		if (size - 1 <= LITEMRC_REQUEST_BUFFER - LITEMRC_CRC_BYTES)
			take(data + 1, size - 1);
		return 0;
	}
	litemrc_receiver_init(&rx, buffer, sizeof(buffer));
	for (size_t i = 1; i < size; i++) {
		if (!litemrc_receiver_push(&rx, data[i]))
			continue;
		take(rx.buffer, rx.message_length);
		litemrc_receiver_release(&rx);
	}
	return 0;
}
