// SPDX-License-Identifier: BSD-2-Clause
/* The table of workloads; a workload's number is its index. */
#include <generated/csr.h>

#include "workload.h"

const struct workload workloads[] = {
	{"zipf", ZIPF_PAGES, 1, zipf_run},
	{"loop", LOOP_PAGES, 1, loop_run},
	{"phases", PHASES_PAGES, 1, phases_run},
	{"chase", CHASE_PAGES, 1, chase_run},
	{"matmul", MATMUL_PAGES, 1, matmul_run},
#ifndef WITHOUT_PAIR /* for a small ROM: with its pager and its scenario it takes 10 KB */
	{"pair", PAIR_PAGES, 2, pair_run},
#endif
#ifdef CSR_REFS_BASE
	{"replicate", REPLICATE_MEMORY_PAGES, 1, replicate_run},
#endif
	{"memtest", 0, 1, memtest_run},
};
const unsigned int workload_count = sizeof(workloads) / sizeof(workloads[0]);
