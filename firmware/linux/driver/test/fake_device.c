// SPDX-License-Identifier: GPL-2.0
/* A platform device "litemrc" backed by the fake; it exists while the module is loaded. */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "litemrc_fake.h"

static unsigned int memory = 0x80000000;
module_param(memory, uint, 0444);
MODULE_PARM_DESC(memory, "physical address of frame 0");

static unsigned int frames_log2 = 14;
module_param(frames_log2, uint, 0444);
MODULE_PARM_DESC(frames_log2, "log2 of the frames watched");

static struct fake *the_fake;
static struct platform_device *device;

struct fake *fake_of_device(struct device *unused)
{
	return the_fake;
}

static int add_device(struct fake *fake)
{
	struct litemrc_platform_data data = {
		.ops = &fake_ops,
		.io = fake,
		.memory = memory,
	};
	struct resource interrupt = DEFINE_RES_IRQ(fake->irq);
	int ret;

	device = platform_device_alloc("litemrc", 0);
	if (!device)
		return -ENOMEM;
	device->dev.groups = fake_groups;
	ret = platform_device_add_resources(device, &interrupt, 1);
	if (!ret)
		ret = platform_device_add_data(device, &data, sizeof(data));
	if (!ret)
		ret = platform_device_add(device);
	if (ret)
		platform_device_put(device);
	return ret;
}

static int __init fake_init(void)
{
	struct fake *fake;
	int ret = -ENOMEM;

	fake = kzalloc(sizeof(*fake), GFP_KERNEL);
	if (!fake)
		return ret;
	the_fake = fake;
	raw_spin_lock_init(&fake->lock);
	fake->frames_log2 = frames_log2;
	fake->memory = memory;
	fake->log = vzalloc(array_size(FAKE_LOG_ENTRIES, sizeof(*fake->log)));
	if (!fake->log)
		goto free_fake;
	fake_reset(fake);
	ret = fake_interrupt_init(fake);
	if (ret)
		goto free_log;
	ret = add_device(fake);
	if (ret)
		goto exit_interrupt;
	return 0;

exit_interrupt:
	fake_interrupt_exit(fake);
free_log:
	vfree(fake->log);
free_fake:
	kfree(fake);
	return ret;
}

static void __exit fake_exit(void)
{
	platform_device_unregister(device);
	fake_interrupt_exit(the_fake);
	vfree(the_fake->log);
	kfree(the_fake);
}

module_init(fake_init);
module_exit(fake_exit);

MODULE_DESCRIPTION("LiteMRC monitor in software, for tests");
MODULE_LICENSE("GPL");
