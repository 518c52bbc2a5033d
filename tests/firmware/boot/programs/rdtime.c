// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

#define READS 10000
#define RDTIME 0xc0102073
#define RDTIMEH 0xc8102073

int main(void)
{
	uint32_t in[32], out[32];
	uint64_t last = now();

	for (int i = 0; i < READS; i++) {
		uint64_t time = now();

		CHECK(time >= last);
		last = time;
	}
	/* Into each register, and none other. */
	for (uint32_t rd = 0; rd < 32; rd++) {
		for (uint32_t i = 1; i < 32; i++)
			in[i] = 0x01010101 * i;
		uint64_t before = now();
		execute((uint32_t[]){NOP, RDTIME | rd << 7}, in, out);
		uint64_t after = now();

		for (uint32_t i = 1; i < 32; i++)
			if (i != rd)
				CHECK(out[i] == in[i]);
		if (rd)
			CHECK((uint32_t)(out[rd] - before) <= after - before);
		execute((uint32_t[]){NOP, RDTIMEH | rd << 7}, in, out);
		for (uint32_t i = 1; i < 32; i++)
			if (i != rd)
				CHECK(out[i] == in[i]);
		if (rd)
			CHECK(out[rd] == (uint32_t)(now() >> 32));
	}
	CHECK(trapped.count == 0);
	print("rdtime: ok\n");
	return 0;
}
