/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LITEMRC_TRACEPOINTS_H
#define LITEMRC_TRACEPOINTS_H

#include <linux/types.h>

struct device;
struct tracepoint;

/**
 * struct litemrc_hook - a function that a tracepoint calls
 * @name: of the tracepoint
 * @function: of the tracepoint's type
 * @optional: not all kernels have the tracepoint
 * @tracepoint: set by litemrc_hooks_find(), if the kernel has it
 */
struct litemrc_hook {
	const char *name;
	void *function;
	bool optional;
	struct tracepoint *tracepoint;
};

int litemrc_hooks_find(struct device *dev, struct litemrc_hook *hooks, unsigned int count);
int litemrc_hooks_add(struct device *dev, const struct litemrc_hook *hooks, unsigned int count,
		      void *data);
void litemrc_hooks_remove(const struct litemrc_hook *hooks, unsigned int count, void *data);

#endif
