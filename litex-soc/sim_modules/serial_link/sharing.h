/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How hosts share a port that carries one at a time. host/litemrc/device/link/sharing.py is the other end.
 *
 * The first bytes of a host that gives its name are its introduction, "\0litemrc host MODE NAME\0": MODE is "take" to replace the
 * host that is there, else "wait". A device drops it as a damaged frame, so it may be sent to any port.
 *
 * The port ends a connection by a message of the link, nak with request 0 and error busy, whose reason says why.
 */
#ifndef SHARING_H
#define SHARING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

#define INTRODUCTION_TEXT "litemrc host "
#define INTRODUCTION_MAX 68	/* bytes, with both zeros */
#define SHARING_NAME_MAX 48
#define SHARING_REASON_MAX 80	/* as litemrc_protocol.h has it */
#define SHARING_MESSAGE_MAX 128

/* Nothing wrong so far; no introduction; one of a host that waits, or that takes over. */
enum introduced { INTRODUCED_PARTLY, INTRODUCED_NOT, INTRODUCED_WAITS, INTRODUCED_TAKES };

struct introduction {
	char name[SHARING_NAME_MAX + 1];	/* empty: none was given */
};

static inline enum introduced introduction_read(struct introduction *introduction, const uint8_t *bytes, size_t count)
{
	static const char *const modes[] = {"wait ", "take "};
	const size_t text = sizeof(INTRODUCTION_TEXT) - 1, mode = 5;
	const uint8_t *end;

	if (count && bytes[0])
		return INTRODUCED_NOT;
	if (count <= 1 || !(end = memchr(bytes + 1, 0, count - 1)))
		return count < INTRODUCTION_MAX ? INTRODUCED_PARTLY : INTRODUCED_NOT;
	if ((size_t)(end - bytes) < 1 + text + mode || memcmp(bytes + 1, INTRODUCTION_TEXT, text))
		return INTRODUCED_NOT;
	for (int i = 0; i < 2; i++) {
		if (!memcmp(bytes + 1 + text, modes[i], mode)) {
			snprintf(introduction->name, sizeof(introduction->name), "%s", (const char *)bytes + 1 + text + mode);
			for (char *at = introduction->name; *at; at++)
				*at = *at < ' ' || *at > '~' ? '?' : *at;
			return INTRODUCED_WAITS + i;
		}
	}
	return INTRODUCED_NOT;
}

/*
 * Makes a nak of request 0, error busy, with the number 0, which no message of a device has. Returns the length of its frame
 * (firmware/service/frame.h; blocks of one zero suffice), behind a zero that ends the device's message under way.
 */
static inline size_t sharing_message(uint8_t *out, const char *reason)
{
	struct {
		uint32_t type, number, request, error;
		char reason[SHARING_REASON_MAX];
		uint32_t crc;
		uint8_t end;
	} all = {.type = 6, .error = 3};
	const uint8_t *bytes = (const uint8_t *)&all;
	size_t length = offsetof(__typeof__(all), crc), at = 1, code = 1;

	memcpy(all.reason, reason, strnlen(reason, sizeof(all.reason)));
	all.crc = crc32(0, bytes, length);
	out[0] = 0;
	for (size_t i = 0; i <= length + sizeof(all.crc); i++) {
		out[++at] = bytes[i];
		if (!bytes[i]) {	/* a code is the distance to the next zero, the end */
			out[code] = at - code;
			code = at;
		}
	}
	out[at] = 0;
	return at + 1;
}

#endif
