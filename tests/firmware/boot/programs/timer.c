// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

#define TIMER 0x54494d45
#define LEGACY_SET_TIMER 0
#define TIMER_INTERRUPT 0x80000005
#define FAR 100000000000ull

static void set_timer(uint32_t extension, uint64_t time)
{
	CHECK(sbi(extension, 0, time, time >> 32).error == 0);
}

static void fires_at(uint32_t extension, uint64_t time)
{
	uint32_t before = trapped.count;

	set_timer(extension, time);
	csr_set(sie, STI);
	csr_set(sstatus, SIE);
	while (trapped.count == before)
		;
	csr_clear(sstatus, SIE);
	CHECK(trapped.scause == TIMER_INTERRUPT);
	CHECK(now() >= time);
	CHECK(csr_read(sip) & STI);
}

int main(void)
{
	fires_at(TIMER, now() + 20000);
	fires_at(TIMER, now() - 1);
	fires_at(LEGACY_SET_TIMER, now() + 20000);
	/* A new time takes the pending interrupt back. */
	set_timer(TIMER, now() + FAR);
	CHECK(!(csr_read(sip) & STI));
	/* Across the end of the low word. */
	set_timer(TIMER, 0xffffffffffffffffull);
	CHECK(!(csr_read(sip) & STI));
	print("timer: ok\n");
	return 0;
}
