/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before tail/order.c of the tests' litemrc_tail. While the module's
 * parameter fail_places is set, every second allocation fails: that of the
 * places, after that of the hash.
 */
#include <linux/module.h>
#include <linux/vmalloc.h>

static bool fail_places;
module_param(fail_places, bool, 0600);

static void *allocate_or_fail(unsigned long bytes)
{
	static unsigned int calls;

	return fail_places && calls++ % 2 ? NULL : vzalloc(bytes);
}

#define vzalloc allocate_or_fail
