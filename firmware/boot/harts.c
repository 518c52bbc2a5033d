// SPDX-License-Identifier: BSD-2-Clause
/*
 * Several harts: start and stop (SBI 9), interrupts between them (SBI 7), fences on others (SBI 8).
 *
 * A hart asks another one by a bit in its memory and the machine software interrupt of the CLINT. Whoever asked for a fence waits until the
 * other hart has removed the bit; meanwhile it serves what others ask of itself. A single hart asks nobody: its shim has no atomic
 * instruction, which the memory of a SoC need not know (Rocket's port for memory-mapped devices does not).
 */
#include <platform.h>
#include <shim.h>

enum request { REQUEST_IPI, REQUEST_FENCE_I, REQUEST_SFENCE_VMA, REQUESTS };
enum fence_function { FENCE_I, SFENCE_VMA, SFENCE_VMA_ASID };
enum state { STARTED, STOPPED, START_PENDING };

/* At the bottom of the shim's memory. */
struct hart {
	uint32_t state;
	uintptr_t start, opaque;
	uint32_t asked[REQUESTS]; /* each a mask of the harts that asked */
};
static struct hart *const harts = (struct hart *)(uintptr_t)RAM_BASE;

uintptr_t hart_number(void)
{
	return HARTS > 1 ? csr_read(mhartid) : 0;
}

/* The fences order it with the memory of the harts. */
static void raise(uintptr_t hart, uint32_t pending)
{
	if (HARTS == 1)
		return;
	__asm__ volatile("fence" : : : "memory");
	write_register(MSIP + 4 * hart, pending);
	__asm__ volatile("fence" : : : "memory");
}

/* Behind all writes before it. GCC 12 makes an atomic instruction of any atomic store. */
static void set_state(uintptr_t hart, enum state state)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*(volatile uint32_t *)&harts[hart].state = state;
}

/* Begins S mode with a0 and a1. */
static _Noreturn void enter(uintptr_t address, uintptr_t hart, uintptr_t argument)
{
	register uintptr_t a0 __asm__("a0") = hart;
	register uintptr_t a1 __asm__("a1") = argument;

	harts[hart].state = STARTED;
	csr_clear(mip, INTERRUPT_SSI | INTERRUPT_STI);
	csr_write(mie, HARTS > 1 ? INTERRUPT_MSI : 0);
	csr_write(satp, 0);
	csr_write(mepc, address);
	csr_write(mstatus, MSTATUS_MPP_S);
	__asm__ volatile("fence.i\n\tmret" : : "r"(a0), "r"(a1));
	__builtin_unreachable();
}

/* Until another hart starts this one. Its memory is prepared by hart 0, so it is not read before the interrupt. */
static _Noreturn void wait_for_start(uintptr_t hart)
{
	csr_write(mie, INTERRUPT_MSI);
	for (;;) {
		while (!(csr_read(mip) & INTERRUPT_MSI))
			__asm__ volatile("wfi");
		raise(hart, 0);
		if (__atomic_load_n(&harts[hart].state, __ATOMIC_ACQUIRE) == START_PENDING)
			enter(harts[hart].start, hart, harts[hart].opaque);
		harts_serve();
	}
}

void harts_begin(uintptr_t hart, uintptr_t device_tree)
{
	platform_start(hart);
	if (hart)
		wait_for_start(hart);
	for (uintptr_t i = 0; i < HARTS; i++) {
		harts[i].state = STOPPED;
		for (enum request request = 0; request < REQUESTS; request++)
			harts[i].asked[request] = 0;	/* no other hart reads it yet */
	}
	enter(KERNEL_ADDRESS, 0, DTB_ADDRESS ? DTB_ADDRESS : device_tree);
}

static void act(enum request request)
{
	switch (request) {
	case REQUEST_FENCE_I:
		__asm__ volatile("fence.i" : : : "memory");
		break;
	case REQUEST_SFENCE_VMA:
		__asm__ volatile("sfence.vma" : : : "memory");
		break;
	default:
		csr_set(mip, INTERRUPT_SSI);
	}
}

void harts_serve(void)
{
	uintptr_t hart = hart_number();

	if (HARTS == 1)
		return;
	raise(hart, 0);
	for (enum request request = 0; request < REQUESTS; request++) {
		uint32_t *asked = &harts[hart].asked[request];
		uint32_t who = __atomic_load_n(asked, __ATOMIC_SEQ_CST);

		if (!who)
			continue;
		act(request);
		__atomic_fetch_and(asked, ~who, __ATOMIC_SEQ_CST);
	}
}

/* SBI 3.1: a mask of harts from a first one on; -1 as the first is all. False: a hart that there is not. */
static bool select(uintptr_t mask, uintptr_t first, uint32_t *selected)
{
	uint32_t all = (1u << HARTS) - 1;

	if (first == ALL_HARTS)
		*selected = all;
	else if (!mask)
		*selected = 0;
	else if (first >= HARTS || mask & ~((uintptr_t)all >> first))
		return false;
	else
		*selected = mask << first;
	return true;
}

static void ask(enum request request, uint32_t selected)
{
	uintptr_t hart = hart_number();

	for (uintptr_t other = 0; other < HARTS; other++) {
		if (other == hart || !(selected >> other & 1))
			continue;
		__atomic_fetch_or(&harts[other].asked[request], 1u << hart, __ATOMIC_SEQ_CST);
		raise(other, 1);
	}
	if (selected >> hart & 1)
		act(request);
}

int32_t send_ipi(uintptr_t mask, uintptr_t first)
{
	uint32_t selected;

	if (!select(mask, first, &selected))
		return SBI_ERR_INVALID_PARAM;
	ask(REQUEST_IPI, selected);
	return SBI_SUCCESS;
}

/* Whole fences, so ranges and ASIDs need no reading. */
int32_t remote_fence(uintptr_t function, uintptr_t mask, uintptr_t first)
{
	enum request request = function == FENCE_I ? REQUEST_FENCE_I : REQUEST_SFENCE_VMA;
	uintptr_t hart = hart_number();
	uint32_t selected;

	if (function > SFENCE_VMA_ASID)
		return SBI_ERR_NOT_SUPPORTED;
	if (!select(mask, first, &selected))
		return SBI_ERR_INVALID_PARAM;
	ask(request, selected);
	for (uintptr_t other = 0; other < HARTS; other++)
		while (__atomic_load_n(&harts[other].asked[request], __ATOMIC_SEQ_CST) >> hart & 1)
			harts_serve();
	return SBI_SUCCESS;
}

/* Only one hart starts another: without a lock, as Linux does it under its own. */
int32_t hart_start(uintptr_t hart, uintptr_t address, uintptr_t opaque)
{
	if (hart >= HARTS)
		return SBI_ERR_INVALID_PARAM;
	if (harts[hart].state != STOPPED)
		return SBI_ERR_ALREADY_AVAILABLE;
	harts[hart].start = address;
	harts[hart].opaque = opaque;
	set_state(hart, START_PENDING);
	raise(hart, 1);
	return SBI_SUCCESS;
}

void hart_stop(void)
{
	uintptr_t hart = hart_number();

	set_state(hart, STOPPED);
	wait_for_start(hart);
}

int32_t hart_state(uintptr_t hart, uintptr_t *state)
{
	if (hart >= HARTS)
		return SBI_ERR_INVALID_PARAM;
	*state = __atomic_load_n(&harts[hart].state, __ATOMIC_SEQ_CST);
	return SBI_SUCCESS;
}
