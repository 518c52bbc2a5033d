// SPDX-License-Identifier: BSD-2-Clause
/* The table of workloads; a workload's number is its place here. */
#include "workload.h"

const struct workload workloads[] = {
	{"zipf", ZIPF_PAGES, zipf_run},
	{"loop", LOOP_PAGES, loop_run},
	{"phases", PHASES_PAGES, phases_run},
	{"chase", CHASE_PAGES, chase_run},
	{"matmul", MATMUL_PAGES, matmul_run},
};
const unsigned int workload_count = sizeof(workloads) / sizeof(workloads[0]);
