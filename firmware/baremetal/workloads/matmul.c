// SPDX-License-Identifier: BSD-2-Clause
/*
 * C = A * B in the textbook's order, each row of a matrix on its own page: the walk down a column of B touches a new
 * page in each step, while A and C stay near the top of the stack.
 */
#include "workload.h"

#define ROWS 12u		/* of A and C */
#define COLUMNS 4u		/* of B and C */
#define INNER 512u		/* columns of A, rows of B */

_Static_assert(ROWS + INNER + ROWS == MATMUL_PAGES, "a row is a page");

static volatile int32_t *row(uint8_t *memory, uint32_t page)
{
	return (volatile int32_t *)(memory + page * PAGE_BYTES);
}

void matmul_run(uint8_t *memory, uint32_t repeats)
{
	uint8_t *a = memory, *b = a + ROWS * PAGE_BYTES, *c = b + INNER * PAGE_BYTES;

	for (uint32_t k = 0; k < INNER; k++) {
		for (uint32_t j = 0; j < COLUMNS; j++)
			row(b, k)[j] = k + j;
		for (uint32_t i = 0; i < ROWS; i++)
			row(a, i)[k] = k - i;
	}
	for (uint32_t repeat = 0; repeat < repeats; repeat++)
		for (uint32_t i = 0; i < ROWS; i++)
			for (uint32_t j = 0; j < COLUMNS; j++) {
				int32_t sum = 0;

				for (uint32_t k = 0; k < INNER; k++)
					sum += row(a, i)[k] * row(b, k)[j];
				row(c, i)[j] = sum;
			}
}
