// SPDX-License-Identifier: BSD-2-Clause
/* The SBI calls that Linux makes: base, timer, IPI, fences, state of harts, system reset, legacy console. */
#include <platform.h>
#include <shim.h>

#define SPEC_VERSION (1u << 24 | 0) /* SBI 4: major, minor */
#define IMPLEMENTATION 0x4c4d5243   /* "LMRC"; not a registered number */
#define IMPLEMENTATION_VERSION 1

enum extension {
	LEGACY_SET_TIMER = 0,
	LEGACY_PUTCHAR = 1,
	LEGACY_GETCHAR = 2,
	LEGACY_SHUTDOWN = 8,
	BASE = 0x10,
	TIMER = 0x54494d45,
	IPI = 0x735049,
	REMOTE_FENCE = 0x52464e43,
	HART_STATE = 0x48534d,
	SYSTEM_RESET = 0x53525354,
};

enum base_function { GET_SPEC, GET_IMPLEMENTATION, GET_VERSION, PROBE, GET_VENDOR, GET_ARCH, GET_MACHINE };
enum state_function { HART_START, HART_STOP, HART_STATUS };
enum reset_type { SHUTDOWN, COLD_REBOOT, WARM_REBOOT };
enum reset_reason { NO_REASON, SYSTEM_FAILURE };

struct result {
	intptr_t error;
	uintptr_t value;
};

static bool available(uintptr_t extension)
{
	switch (extension) {
	case LEGACY_SET_TIMER:
	case LEGACY_PUTCHAR:
	case LEGACY_GETCHAR:
	case LEGACY_SHUTDOWN:
	case BASE:
	case TIMER:
	case IPI:
	case REMOTE_FENCE:
	case SYSTEM_RESET:
		return true;
	case HART_STATE:
		return HARTS > 1;
	}
	return false;
}

/* SBI 4. */
static struct result base(uintptr_t function, uintptr_t argument)
{
	switch (function) {
	case GET_SPEC:
		return (struct result){SBI_SUCCESS, SPEC_VERSION};
	case GET_IMPLEMENTATION:
		return (struct result){SBI_SUCCESS, IMPLEMENTATION};
	case GET_VERSION:
		return (struct result){SBI_SUCCESS, IMPLEMENTATION_VERSION};
	case PROBE:
		return (struct result){SBI_SUCCESS, available(argument)};
	case GET_VENDOR:
		return (struct result){SBI_SUCCESS, csr_read(mvendorid)};
	case GET_ARCH:
		return (struct result){SBI_SUCCESS, csr_read(marchid)};
	case GET_MACHINE:
		return (struct result){SBI_SUCCESS, csr_read(mimpid)};
	}
	return (struct result){SBI_ERR_NOT_SUPPORTED, 0};
}

/* SBI 6.1: the time is in a0, on 32 bits also in a1. Words in the order of Priv 3.2.1, so that no intermediate value raises an interrupt. */
static void set_timer(const uintptr_t *a)
{
	uint32_t low = a[0], high = __riscv_xlen == 64 ? (uint64_t)a[0] >> 32 : a[1];
	uintptr_t offset = 8 * hart_number();

	write_register(TIMECMP_HIGH + offset, 0xffffffff);
	write_register(TIMECMP_LOW + offset, low);
	write_register(TIMECMP_HIGH + offset, high);
	if (TIMER_LATCH)
		write_register(TIMER_LATCH, 0);
	csr_clear(mip, INTERRUPT_STI);
	csr_set(mie, INTERRUPT_MTI);
}

/* SBI 9. */
static struct result state_of_harts(uintptr_t function, const uintptr_t *a)
{
	struct result result = {SBI_ERR_NOT_SUPPORTED, 0};

	switch (function) {
	case HART_START:
		result.error = hart_start(a[0], a[1], a[2]);
		break;
	case HART_STOP:
		hart_stop();
		break;
	case HART_STATUS:
		result.error = hart_state(a[0], &result.value);
		break;
	}
	return result;
}

/* SBI 10.1: returns only on failure. */
static int32_t system_reset(uintptr_t type, uintptr_t reason)
{
	if (type > WARM_REBOOT || reason > SYSTEM_FAILURE)
		return SBI_ERR_INVALID_PARAM;
	if (type == SHUTDOWN)
		platform_shutdown(reason == SYSTEM_FAILURE);
	else
		platform_reboot();
	return SBI_ERR_FAILED;
}

void sbi_call(struct frame *frame)
{
	uintptr_t *a = &frame->x[A0];
	uintptr_t function = frame->x[A6];
	struct result result = {SBI_ERR_NOT_SUPPORTED, 0};

	switch (frame->x[A7]) {
	case LEGACY_SET_TIMER:
		set_timer(a);
		a[0] = 0;
		return;
	case LEGACY_PUTCHAR:
		platform_putchar(a[0]);
		a[0] = 0;
		return;
	case LEGACY_GETCHAR:
		a[0] = platform_getchar();
		return;
	case LEGACY_SHUTDOWN:
		platform_shutdown(false);
		break;
	case BASE:
		result = base(function, a[0]);
		break;
	case TIMER:
		if (function == 0) {
			set_timer(a);
			result.error = SBI_SUCCESS;
		}
		break;
	case IPI:
		if (function == 0)
			result.error = send_ipi(a[0], a[1]);
		break;
	case REMOTE_FENCE:
		result.error = remote_fence(function, a[0], a[1]);
		break;
	case HART_STATE:
		if (HARTS > 1)
			result = state_of_harts(function, a);
		break;
	case SYSTEM_RESET:
		if (function == 0)
			result.error = system_reset(a[0], a[1]);
		break;
	}
	a[0] = result.error;
	a[1] = result.value;
}
