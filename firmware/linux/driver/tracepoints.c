// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks of the kernel's tracepoints, which are not exported to modules by name.
 */
#include <linux/device.h>
#include <linux/tracepoint.h>

#include "litemrc.h"

struct search {
	struct litemrc_hook *hooks;
	unsigned int count;
};

static void litemrc_hooks_look(struct tracepoint *tracepoint, void *data)
{
	const struct search *search = data;
	unsigned int i;

	for (i = 0; i < search->count; i++)
		if (!strcmp(tracepoint->name, search->hooks[i].name))
			search->hooks[i].tracepoint = tracepoint;
}

/**
 * litemrc_hooks_find() - find the tracepoints of hooks
 * @dev: the device, for messages
 * @hooks: the hooks
 * @count: their number
 *
 * Return: 0, or -ENODEV if the kernel lacks one that is not optional
 */
int litemrc_hooks_find(struct device *dev, struct litemrc_hook *hooks,
		       unsigned int count)
{
	struct search search = { hooks, count };
	unsigned int i;

	for_each_kernel_tracepoint(litemrc_hooks_look, &search);
	for (i = 0; i < count; i++)
		if (!hooks[i].tracepoint && !hooks[i].optional)
			return dev_err_probe(dev, -ENODEV,
					     "no tracepoint %s: set CONFIG_TRACEPOINTS or CONFIG_FTRACE\n",
					     hooks[i].name);
	return 0;
}
EXPORT_SYMBOL_GPL(litemrc_hooks_find);

/**
 * litemrc_hooks_remove() - unregister hooks
 * @hooks: the hooks, registered
 * @count: their number
 * @data: as it was registered
 *
 * On return none of their functions runs any more.
 */
void litemrc_hooks_remove(const struct litemrc_hook *hooks, unsigned int count,
			  void *data)
{
	while (count--)
		if (hooks[count].tracepoint)
			tracepoint_probe_unregister(hooks[count].tracepoint,
						    hooks[count].function,
						    data);
	tracepoint_synchronize_unregister();
}
EXPORT_SYMBOL_GPL(litemrc_hooks_remove);

/**
 * litemrc_hooks_add() - register all hooks, or none
 * @dev: the device, for messages
 * @hooks: the hooks, which litemrc_hooks_find() has found
 * @count: their number
 * @data: first argument of their functions
 *
 * Return: 0 or a negative error
 */
int litemrc_hooks_add(struct device *dev, const struct litemrc_hook *hooks,
		      unsigned int count, void *data)
{
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		if (!hooks[i].tracepoint)
			continue;
		ret = tracepoint_probe_register(hooks[i].tracepoint,
						hooks[i].function, data);
		if (ret) {
			dev_err(dev, "tracepoint %s: %d\n", hooks[i].name, ret);
			litemrc_hooks_remove(hooks, i, data);
			return ret;
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(litemrc_hooks_add);
