// SPDX-License-Identifier: BSD-2-Clause
/* The SBI calls that a kernel on one hart makes, also one for several: base, timer, IPI, fences, system reset, legacy console. */
#include <platform.h>
#include <shim.h>

#define SPEC_VERSION (1u << 24 | 0) /* SBI 4: major, minor */
#define IMPLEMENTATION 0x4c4d5243   /* "LMRC"; not a registered number */
#define IMPLEMENTATION_VERSION 1

/* SBI 3, table 1. */
#define SBI_SUCCESS 0
#define SBI_ERR_FAILED (-1)
#define SBI_ERR_NOT_SUPPORTED (-2)
#define SBI_ERR_INVALID_PARAM (-3)
#define ALL_HARTS UINTPTR_MAX

enum extension {
	LEGACY_SET_TIMER = 0,
	LEGACY_PUTCHAR = 1,
	LEGACY_GETCHAR = 2,
	LEGACY_SHUTDOWN = 8,
	BASE = 0x10,
	TIMER = 0x54494d45,
	IPI = 0x735049,
	REMOTE_FENCE = 0x52464e43,
	SYSTEM_RESET = 0x53525354,
};

enum base_function { GET_SPEC, GET_IMPLEMENTATION, GET_VERSION, PROBE, GET_VENDOR, GET_ARCH, GET_MACHINE };
enum fence_function { FENCE_I, SFENCE_VMA, SFENCE_VMA_ASID };
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


	write_register(TIMECMP_HIGH, 0xffffffff);
	write_register(TIMECMP_LOW, low);
	write_register(TIMECMP_HIGH, high);
	if (TIMER_LATCH)
		write_register(TIMER_LATCH, 0);
	csr_clear(mip, INTERRUPT_STI);
	csr_set(mie, INTERRUPT_MTI);
}

/* SBI 3.1: a mask of harts from a first one on; -1 as the first is all. There is hart 0 only. */
static int32_t check_harts(uintptr_t mask, uintptr_t first)
{
	if (first == ALL_HARTS || !mask)
		return SBI_SUCCESS;
	return first == 0 && mask == 1 ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM;
}

/* SBI 7.1: the hart's own software interrupt; S mode clears it. */
static int32_t send_ipi(uintptr_t mask, uintptr_t first)
{
	int32_t error = check_harts(mask, first);

	if (!error && (mask || first == ALL_HARTS))
		csr_set(mip, INTERRUPT_SSI);
	return error;
}

/* SBI 8: whole fences, so ranges and ASIDs need no reading. */
static int32_t remote_fence(uintptr_t function, uintptr_t mask, uintptr_t first)
{
	int32_t error = check_harts(mask, first);

	if (function > SFENCE_VMA_ASID)
		return SBI_ERR_NOT_SUPPORTED;
	if (error)
		return error;
	if (function == FENCE_I)
		__asm__ volatile("fence.i" : : : "memory");
	else
		__asm__ volatile("sfence.vma" : : : "memory");
	return SBI_SUCCESS;
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
	case SYSTEM_RESET:
		if (function == 0)
			result.error = system_reset(a[0], a[1]);
		break;
	}
	a[0] = result.error;
	a[1] = result.value;
}
