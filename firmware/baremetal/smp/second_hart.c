// SPDX-License-Identifier: BSD-2-Clause
#include "second_hart.h"

#define STACK_BYTES 2048

/* Of LiteX's crt0: hart 1 waits for the lock and jumps to the target, with interrupts off. */
extern void (*volatile smp_lottery_target)(void);
extern volatile uint32_t smp_lottery_lock;

/* Named in enter(). */
uint8_t second_hart_stack[STACK_BYTES] __attribute__((aligned(16)));
void second_hart_main(void) __attribute__((noreturn));

/* Hart 0 writes the order and then `ordered`; hart 1 adds 1 to `returned` after each. */
static struct {
	void (*run)(uint8_t *memory, uint32_t repeats);
	uint8_t *memory;
	uint32_t repeats;
} order;
static uint32_t ordered, returned;

void second_hart_main(void)
{
	for (uint32_t taken = 0;; taken++) {
		while (__atomic_load_n(&ordered, __ATOMIC_ACQUIRE) == taken)
			;
		order.run(order.memory, order.repeats);
		__atomic_store_n(&returned, taken + 1, __ATOMIC_RELEASE);
	}
}

static void __attribute__((naked)) enter(void)
{
	__asm__("la sp, second_hart_stack + %0\n\tj second_hart_main" ::"i"(STACK_BYTES));
}

void second_hart_start(void (*run)(uint8_t *memory, uint32_t repeats), uint8_t *memory, uint32_t repeats)
{
	order.run = run;
	order.memory = memory;
	order.repeats = repeats;
	__atomic_store_n(&ordered, ordered + 1, __ATOMIC_RELEASE);
	if (!smp_lottery_lock) {
		smp_lottery_target = enter;
		__atomic_thread_fence(__ATOMIC_RELEASE);
		smp_lottery_lock = 1;
	}
}

void second_hart_wait(void)
{
	while (__atomic_load_n(&returned, __ATOMIC_ACQUIRE) != ordered)
		;
}
