// SPDX-License-Identifier: BSD-2-Clause
/*
 * Harts of QEMU's board virt whose accesses are hard to count: to devices, across pages, atomic, of code that is
 * rewritten, and in races. Each hart counts what it accesses in the arena and in devices; hart 0 sends that over the
 * UART. With GO_ON the other harts never stop, and hart 0 ends the machine while they run.
 */
#define ARENA 0x80400000u
#define DATA (ARENA + 0x2000)

struct made {
	unsigned int loads, stores, atomics, devices, crossing, stale, wrong;
};

/* All on one line. */
struct words {
	volatile int started, ended, added, reserved, raced;
};

static struct words *const words = (struct words *)ARENA;
static volatile struct made made[HARTS];
static volatile unsigned char *const uart = (unsigned char *)0x10000000;
static volatile unsigned int *const finisher = (unsigned int *)0x100000;
static volatile unsigned int *const mtime = (unsigned int *)0x0200bff8;
static volatile unsigned int *const priority = (unsigned int *)0x0c000004;

__asm__(".globl _start\n"
	"_start: csrr a0, mhartid\n"
	"	li sp, 0x80300000\n"
	"	slli t0, a0, 12\n"
	"	sub sp, sp, t0\n"
	"	j run\n");

static int add(volatile int *word, int number)
{
	int before;

	__asm__ volatile("amoadd.w %0, %2, (%1)" : "=r"(before) : "r"(word), "r"(number) : "memory");
	return before;
}

/* Increments a word by LR and SC; returns the number of attempts. */
static unsigned int increment(volatile int *word)
{
	unsigned int attempts = 0, failed;

	do {
		int value;

		__asm__ volatile("lr.w %0, (%2)\n addi %0, %0, 1\n sc.w %1, %0, (%2)"
				 : "=&r"(value), "=&r"(failed) : "r"(word) : "memory");
		attempts++;
	} while (failed);
	return attempts;
}

/* A load and a store of 4 bytes at any address. */
static void unaligned(unsigned int address, struct made *own)
{
	unsigned int value;

	__asm__ volatile("lw %0, (%1)\n sw %0, (%1)" : "=&r"(value) : "r"(address) : "memory");
	own->loads++;
	own->stores++;
	own->crossing += address % 4096 > 4092 ? 2 : 0;
}

static void devices(unsigned int hart, struct made *own)
{
	(void)uart[5];
	(void)*mtime;
	*priority = hart;
	(void)*priority;
	own->devices += 4;
}

/* Writes code that returns a number, on the page where all harts do so, and runs it. */
static void rewrite(unsigned int hart, unsigned int number, struct made *own)
{
	volatile unsigned int *const code = (unsigned int *)(ARENA + 0x1000 + hart * 64);

	code[0] = number << 20 | 0x513;	/* addi a0, zero, number */
	code[1] = 0x8067;		/* ret */
	own->stores += 2;
	__asm__ volatile("fence.i" : : : "memory");
	own->stale += ((unsigned int (*)(void))code)() != number;
}

static void storm(unsigned int hart, struct made *own)
{
	unsigned int x = hart + 1;

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		x = x * 1664525 + 1013904223;
		devices(hart, own);
		unaligned(DATA + (x >> 8) % (PAGES * 4096), own);
		if (turn % 5 == 0)
			unaligned(DATA + (x >> 12) % PAGES * 4096 + 4093, own);
		if (turn % 10 == 0)
			rewrite(hart, turn & 0x7ff, own);
		add(&words->added, 1);
		own->atomics++;
		unsigned int attempts = increment(&words->reserved);

		own->loads += attempts;
		own->atomics += attempts;
		words->raced++;
		own->loads++;
		own->stores++;
	}
}

static void send(void)
{
	const volatile unsigned char *bytes = (const volatile unsigned char *)made;

	for (unsigned int i = 0; i < sizeof(made); i++)
		*uart = bytes[i];
}

/* Looks seldom, so that there are few accesses. */
static void wait(volatile int *word, int number, struct made *own)
{
	do {
		own->loads++;
		for (int i = 0; i < 10000; i++)
			__asm__ volatile("");
	} while (*word != number);
}

__attribute__((noreturn, used)) void run(unsigned int hart)
{
	struct made own = {0};

	add(&words->started, 1);
	own.atomics++;
	wait(&words->started, HARTS, &own);
	storm(hart, &own);
	while (GO_ON && hart)
		storm(hart, &own);
	if (!GO_ON) {
		add(&words->ended, 1);
		own.atomics++;
	}
	if (!GO_ON && !hart) {
		wait(&words->ended, HARTS, &own);
		own.loads += 2;
		own.wrong += words->added != HARTS * TURNS;
		own.wrong += words->reserved != HARTS * TURNS;
	}
	made[hart] = own;
	/* Another hart's report follows its last access. */
	__asm__ volatile("fence" : : : "memory");
	static volatile int reports;

	add(&reports, 1);
	if (!hart) {
		while (!GO_ON && reports != HARTS)
			;
		send();
		*finisher = 0x5555;
	}
	for (;;)
		;
}
