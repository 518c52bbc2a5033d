// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

#define EXTENSION_BASE 0x10
#define TIMER 0x54494d45
#define IPI 0x735049
#define REMOTE_FENCE 0x52464e43
#define SYSTEM_RESET 0x53525354
#define HART_STATE 0x48534d
#define NOT_SUPPORTED (-2)
#define INVALID_PARAM (-3)
#define NEVER_DEFINED 99

static uint32_t probe(uint32_t extension)
{
	struct result result = sbi(EXTENSION_BASE, 3, extension, 0);

	CHECK(result.error == 0);
	return result.value;
}

int main(void)
{
	struct result version = sbi(EXTENSION_BASE, 0, 0, 0);

	CHECK(version.error == 0 && version.value == 1u << 24);
	for (uint32_t function = 1; function < 7; function++)
		CHECK(sbi(EXTENSION_BASE, function, EXTENSION_BASE, 0).error == 0);
	CHECK(probe(EXTENSION_BASE) == 1 && probe(TIMER) == 1 && probe(SYSTEM_RESET) == 1);
	CHECK(probe(IPI) == 1 && probe(REMOTE_FENCE) == 1);
	CHECK(probe(0) == 1 && probe(1) == 1 && probe(2) == 1 && probe(8) == 1);
	CHECK(probe(HART_STATE) == 0 && probe(3) == 0 && probe(0xffffffff) == 0);

	CHECK(sbi(HART_STATE, 0, 0, 0).error == NOT_SUPPORTED);
	CHECK(sbi(0xffffffff, 0, 0, 0).error == NOT_SUPPORTED);
	CHECK(sbi(EXTENSION_BASE, NEVER_DEFINED, 0, 0).error == NOT_SUPPORTED);
	CHECK(sbi(TIMER, NEVER_DEFINED, 0, 0).error == NOT_SUPPORTED);
	CHECK(sbi(SYSTEM_RESET, NEVER_DEFINED, 0, 0).error == NOT_SUPPORTED);
	CHECK(sbi(SYSTEM_RESET, 0, 3, 0).error == INVALID_PARAM);
	CHECK(sbi(SYSTEM_RESET, 0, 0, 2).error == INVALID_PARAM);
	CHECK(trapped.count == 0);

	/* What comes in goes out, up to a Q. */
	for (int32_t c = -1; c != 'Q';) {
		c = sbi(2, 0, 0, 0).error;
		CHECK(c >= -1 && c < 256);
		if (c >= 0)
			sbi(1, 0, c, 0);
	}
	print("\ncalls: ok\n");
	return 0;
}
