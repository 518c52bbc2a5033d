// SPDX-License-Identifier: GPL-2.0
/*
 * Platform devices "litemrc" backed by fakes; they exist while the module is
 * loaded.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "litemrc_fake.h"

#define FAKES_MAX 2

static unsigned int memory = 0x80000000;
module_param(memory, uint, 0444);
MODULE_PARM_DESC(memory, "physical address of frame 0");

static unsigned int frames_log2 = 14;
module_param(frames_log2, uint, 0444);
MODULE_PARM_DESC(frames_log2, "log2 of the frames watched");

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "number of monitors, 1 or 2");

static unsigned int ranks;
module_param(ranks, uint, 0444);
MODULE_PARM_DESC(ranks, "power domains, a power of two up to 16; 0: none");

static bool partial = true;
module_param(partial, bool, 0444);
MODULE_PARM_DESC(partial, "self-refresh of a part of the array can be reached");

static bool page_bitmap;
module_param(page_bitmap, bool, 0444);
MODULE_PARM_DESC(page_bitmap, "the window has bits of the frames accessed");

static unsigned int hot_pages;
module_param(hot_pages, uint, 0444);
MODULE_PARM_DESC(hot_pages,
		 "pages on an epoch's list, a power of two up to 64; 0: none");

static unsigned int banks;
module_param(banks, uint, 0444);
MODULE_PARM_DESC(banks,
		 "banks of the DRAM up to 16; 0: its commands are not counted");

static bool rows = true;
module_param(rows, bool, 0444);
MODULE_PARM_DESC(rows, "rows of the DRAM are observed");

static struct fake *fakes[FAKES_MAX];

struct fake *fake_of_device(struct device *device)
{
	return fakes[to_platform_device(device)->id];
}

static int add_device(struct fake *fake, int id)
{
	struct litemrc_platform_data data = {
		.ops = &fake_ops,
		.io = fake,
		.memory = memory,
		.rank_ops = fake->ranks ? &fake_rank_ops : NULL,
		.rank_io = fake,
		.dram = {
			.part = "MT41K64M16",
			.chips = 1,
			.phases = 4,
			.clock_hz = FAKE_CLOCK_HZ,
		},
	};
	struct resource interrupt = DEFINE_RES_IRQ(fake->irq);
	int ret;

	fake->device = platform_device_alloc("litemrc", id);
	if (!fake->device)
		return -ENOMEM;
	fake->device->dev.groups = fake_groups;
	ret = platform_device_add_resources(fake->device, &interrupt, 1);
	if (!ret)
		ret = platform_device_add_data(fake->device, &data,
					       sizeof(data));
	if (!ret)
		ret = platform_device_add(fake->device);
	if (ret)
		platform_device_put(fake->device);
	return ret;
}

static void free_fake(struct fake *fake)
{
	vfree(fake->owner);
	vfree(fake->bits);
	vfree(fake->log);
	kfree(fake);
}

static struct fake *make_fake(void)
{
	struct fake *fake = kzalloc(sizeof(*fake), GFP_KERNEL);

	if (!fake)
		return NULL;
	raw_spin_lock_init(&fake->lock);
	fake->frames_log2 = frames_log2;
	fake->memory = memory;
	fake->ranks = ranks;
	fake->no_partial = !partial;
	fake->hot.pages = hot_pages;
	fake->banks = banks;
	fake->rows = rows;
	fake->log = vzalloc(array_size(FAKE_LOG_ENTRIES, sizeof(*fake->log)));
	fake->owner = vzalloc(BIT(frames_log2));
	if (page_bitmap)
		fake->bits =
			vzalloc(array3_size(4, fake_words(fake), sizeof(u32)));
	if (!fake->log || !fake->owner || (page_bitmap && !fake->bits)) {
		free_fake(fake);
		return NULL;
	}
	fake_reset(fake);
	fake_ranks_reset(fake);
	return fake;
}

static int add_fake(int id)
{
	struct fake *fake = make_fake();
	int ret;

	if (!fake)
		return -ENOMEM;
	fakes[id] = fake;
	ret = fake_interrupt_init(fake);
	if (ret)
		goto free;
	ret = add_device(fake, id);
	if (!ret)
		return 0;
	fake_interrupt_exit(fake);
free:
	free_fake(fake);
	return ret;
}

static void remove_fake(struct fake *fake)
{
	platform_device_unregister(fake->device);
	fake_interrupt_exit(fake);
	free_fake(fake);
}

static int __init fake_init(void)
{
	int ret, id;

	if (!devices || devices > FAKES_MAX || ranks > FAKE_RANKS_MAX ||
	    (ranks && !is_power_of_2(ranks)) ||
	    hot_pages > FAKE_HOT_PAGES_MAX ||
	    (hot_pages && !is_power_of_2(hot_pages)) || banks > FAKE_BANKS_MAX)
		return -EINVAL;
	for (id = 0; id < devices; id++) {
		ret = add_fake(id);
		if (ret) {
			while (id--)
				remove_fake(fakes[id]);
			return ret;
		}
	}
	return 0;
}

static void __exit fake_exit(void)
{
	unsigned int id;

	for (id = 0; id < devices; id++)
		remove_fake(fakes[id]);
}

module_init(fake_init);
module_exit(fake_exit);

MODULE_DESCRIPTION("LiteMRC monitor in software, for tests");
MODULE_LICENSE("GPL");
