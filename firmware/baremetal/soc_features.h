/* SPDX-License-Identifier: BSD-2-Clause */
/* What this SoC can have at all (device.h): code for the rest is left out. */
#include <generated/csr.h>

#ifdef CSR_RANKS_BASE
#define RANK_FEATURES (1u << LITEMRC_FEATURE_RANK_POWER)
#else
#define RANK_FEATURES 0u
#endif

#ifdef CSR_REFS_BASE
#define REF_FEATURES (1u << LITEMRC_FEATURE_REF_COUNTERS | 1u << LITEMRC_FEATURE_TRAFFIC)
#else
#define REF_FEATURES 0u
#endif

#ifdef CSR_MRC_HOT_CONTROL_ADDR
#define DEVICE_HOT_PAGES true
#else
#define DEVICE_HOT_PAGES false
#endif

#define DEVICE_FEATURES \
	(1u << LITEMRC_FEATURE_PAGE_BITMAP | 1u << LITEMRC_FEATURE_LEASE | 1u << LITEMRC_FEATURE_BUDGETS | RANK_FEATURES | \
	 REF_FEATURES)
