// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stands for m88ksim (cycle-level simulator of a processor): a small processor with a five-stage pipeline and a data cache
 * runs a program that sorts 3 million words of its memory, a heap. Run: processor [CYCLES]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation { LOAD, STORE, ADD, ADDI, DOUBLE, LESS, BRANCH, JUMP, HALT };
enum { WORDS = 3 << 20, LINES = 256 };

struct instruction {
	enum operation operation;
	int to, from, other; /* registers, or a constant in `other` */
};

struct stage {
	struct instruction instruction;
	int32_t result;
	int valid;
};

/* Heap sort, from the heap on. Registers: 1 size, 2 parent, 3 child, 4 its value, 5 the value to place, 6 a condition, 8 zero. */
static const struct instruction program[] = {
	{ LOAD, 5, 1, 0 },    /* 0: the last value, whose place the first takes */
	{ LOAD, 4, 8, 1 },
	{ STORE, 4, 1, 0 },
	{ ADDI, 1, 1, -1 },
	{ STORE, 5, 8, 1 },
	{ ADDI, 2, 8, 1 },
	{ DOUBLE, 3, 2, 0 },  /* 6: the larger child */
	{ LESS, 6, 1, 3 },
	{ BRANCH, 19, 6, 0 },
	{ LOAD, 4, 3, 0 },
	{ LESS, 6, 3, 1 },
	{ BRANCH, 13, 6, 0 },
	{ JUMP, 17, 0, 0 },
	{ LOAD, 7, 3, 1 },    /* 13 */
	{ LESS, 6, 7, 4 },
	{ BRANCH, 17, 6, 0 },
	{ JUMP, 22, 0, 0 },
	{ LESS, 6, 5, 4 },    /* 17: is it larger than the value? */
	{ BRANCH, 25, 6, 0 },
	{ LESS, 6, 8, 1 },    /* 19: the next value, or the end */
	{ BRANCH, 0, 6, 0 },
	{ HALT, 0, 0, 0 },
	{ ADDI, 3, 3, 1 },    /* 22: the other child */
	{ ADDI, 4, 7, 0 },
	{ JUMP, 17, 0, 0 },
	{ STORE, 4, 2, 0 },   /* 25: swap */
	{ STORE, 5, 3, 0 },
	{ ADDI, 2, 3, 0 },
	{ JUMP, 6, 0, 0 },
};

static int32_t memory[WORDS], registers[10];
static uint32_t tags[LINES];
static long cycle, hits, misses, stalls;

static int32_t *access_memory(int32_t address)
{
	uint32_t word = (uint32_t)address % WORDS, line = word / 8 % LINES;

	if (tags[line] == word / 8) {
		hits++;
	} else {
		tags[line] = word / 8;
		misses++;
		cycle += 20;
	}
	return &memory[word];
}

static int execute(struct stage *now, int counter)
{
	const struct instruction *i = &now->instruction;
	int32_t from = registers[i->from];

	switch (i->operation) {
	case LOAD: now->result = *access_memory(from + i->other); break;
	case STORE: *access_memory(from + i->other) = registers[i->to]; break;
	case ADD: now->result = from + registers[i->other]; break;
	case ADDI: now->result = from + i->other; break;
	case DOUBLE: now->result = 2 * from; break;
	case LESS: now->result = from < registers[i->other]; break;
	case BRANCH: return from ? i->to : counter;
	case JUMP: return i->to;
	case HALT: return -1;
	}
	if (i->operation != STORE)
		registers[i->to] = now->result;
	return counter;
}

int main(int arguments, char **values)
{
	long most = arguments > 1 ? atol(values[1]) : 3000000;
	struct stage pipeline[5] = { 0 };
	uint32_t seed = 1;
	int counter = 0;

	memory[1] = INT32_MAX;
	for (int i = 2; i < WORDS - 1; i++) { /* less than the parent */
		seed = seed * 1664525 + 1013904223;
		memory[i] = memory[i / 2] - (int32_t)(seed >> 6);
	}
	registers[1] = WORDS - 2;
	while (counter >= 0 && cycle < most) {
		memmove(&pipeline[1], &pipeline[0], 4 * sizeof(pipeline[0]));
		pipeline[0] = (struct stage){ program[counter], 0, 1 };
		for (int stage = 1; stage < 5; stage++) /* wait for a register that an earlier instruction loads */
			if (pipeline[stage].valid && pipeline[stage].instruction.operation == LOAD &&
			    pipeline[stage].instruction.to == pipeline[0].instruction.from)
				stalls++, cycle++;
		cycle++;
		counter = execute(&pipeline[0], counter + 1);
	}
	for (int i = registers[1] + 2; i < WORDS - 1; i++)
		if (memory[i] < memory[i - 1])
			return 1;
	printf("%ld cycles, %ld stalls, %ld hits, %ld misses\n", cycle, stalls, hits, misses);
}
