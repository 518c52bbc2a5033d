// SPDX-License-Identifier: GPL-2.0
/*
 * A platform device "litemrc" whose monitor is the tracker, while the module is
 * loaded.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "tracker.h"

static unsigned int memory = 0x80000000;
module_param(memory, uint, 0444);
MODULE_PARM_DESC(memory, "physical address of frame 0");

static unsigned int frames_log2 = 14;
module_param(frames_log2, uint, 0444);
MODULE_PARM_DESC(frames_log2, "log2 of the frames watched");

static unsigned int scan_list = 512;
module_param(scan_list, uint, 0444);
MODULE_PARM_DESC(scan_list,
		 "pages that each context may access without a fault");

static unsigned int period_ms = 100;
module_param(period_ms, uint, 0444);
MODULE_PARM_DESC(period_ms, "milliseconds between two scans of accessed bits");

static bool never_young;
module_param(never_young, bool, 0444);
MODULE_PARM_DESC(never_young, "take no accessed bit for set (for tests)");

static unsigned int clock_hz;
module_param(clock_hz, uint, 0444);
MODULE_PARM_DESC(clock_hz,
		 "clock of an epoch's cycles (that of cpu@0, or 50000000)");

static struct tracker *tracker;

static u32 tracker_find_clock(void)
{
	struct device_node *cpu = of_get_cpu_node(0, NULL);
	u32 hz = clock_hz;

	if (!hz && of_property_read_u32(cpu, "clock-frequency", &hz))
		hz = 0;
	of_node_put(cpu);
	return hz ?: 50000000;
}

static int tracker_add_device(void)
{
	struct litemrc_platform_data data = {
		.ops = &tracker_ops,
		.io = tracker,
		.memory = memory,
	};
	struct resource interrupt = DEFINE_RES_IRQ(tracker->irq);
	int ret;

	tracker->device = platform_device_alloc("litemrc", PLATFORM_DEVID_AUTO);
	if (!tracker->device)
		return -ENOMEM;
	tracker->device->dev.groups = tracker_groups;
	ret = platform_device_add_resources(tracker->device, &interrupt, 1);
	if (!ret)
		ret = platform_device_add_data(tracker->device, &data,
					       sizeof(data));
	if (!ret)
		ret = platform_device_add(tracker->device);
	if (ret)
		platform_device_put(tracker->device);
	return ret;
}

static void tracker_free_tracker(void)
{
	kvfree(tracker->page);
	kvfree(tracker->listed);
	vfree(tracker->accessed);
	vfree(tracker->scanned);
	vfree(tracker->log);
	kfree(tracker);
}

static int tracker_make_tracker(void)
{
	tracker = kzalloc(sizeof(*tracker), GFP_KERNEL);
	if (!tracker)
		return -ENOMEM;
	raw_spin_lock_init(&tracker->lock);
	mutex_init(&tracker->settings);
	INIT_DELAYED_WORK(&tracker->scan, tracker_scan_work);
	INIT_WORK(&tracker->leave, tracker_leave_work);
	INIT_WORK(&tracker->sweep, tracker_sweep_work);
	tracker->frames = BIT(frames_log2);
	tracker->group_pages =
		max_t(u32, tracker->frames >> TRACKER_GROUPS_LOG2, 1);
	tracker->last_group = TRACKER_GROUPS - 1;
	tracker->first_pfn = PHYS_PFN(memory);
	tracker->scan_list = scan_list;
	tracker->period_ms = period_ms;
	tracker->clock_hz = tracker_find_clock();
	tracker->never_young = never_young;
	/*
	 * Not in vmalloc's range if possible: each fault would miss the
	 * processor's TLB.
	 */
	tracker->page =
		kvcalloc(tracker->frames, sizeof(*tracker->page), GFP_KERNEL);
	tracker->listed =
		kvcalloc(tracker->frames, sizeof(*tracker->listed), GFP_KERNEL);
	tracker->accessed =
		vzalloc(array_size(tracker_bitmap_words(tracker), sizeof(u32)));
	tracker->scanned =
		vzalloc(array_size(tracker_bitmap_words(tracker), sizeof(u32)));
	if (!tracker->page || !tracker->listed || !tracker->accessed ||
	    !tracker->scanned) {
		tracker_free_tracker();
		return -ENOMEM;
	}
	tracker_reset(tracker);
	if (!tracker_find_tracepoint(tracker))
		return 0;
	pr_err("litemrc_os: this kernel has no tracepoint mm_fault; apply fault-tracepoint.patch\n");
	tracker_free_tracker();
	return -ENODEV;
}

static int __init tracker_init(void)
{
	int ret;

	if (num_possible_cpus() > 1) {
		pr_err("litemrc_os: tracks one processor, there may be %u\n",
		       num_possible_cpus());
		return -EOPNOTSUPP;
	}
	if (frames_log2 < TRACKER_GROUPS_LOG2 || frames_log2 > 20 ||
	    !scan_list || scan_list > BIT(frames_log2)) {
		pr_err("litemrc_os: frames_log2 is %u to 20, scan_list 1 to 2^frames_log2\n",
		       TRACKER_GROUPS_LOG2);
		return -EINVAL;
	}
	ret = tracker_make_tracker();
	if (ret)
		return ret;
	ret = tracker_interrupt_init(tracker);
	if (ret)
		goto free;
	ret = tracker_add_device();
	if (!ret)
		return 0;
	tracker_interrupt_exit(tracker);
free:
	tracker_free_tracker();
	return ret;
}

/*
 * The driver disables its monitor when the device goes, so no page is
 * protected.
 */
static void __exit tracker_exit(void)
{
	platform_device_unregister(tracker->device);
	tracker_interrupt_exit(tracker); /* its timer schedules the work */
	cancel_delayed_work_sync(&tracker->scan);
	cancel_work_sync(&tracker->leave);
	cancel_work_sync(&tracker->sweep);
	tracker_exit_watch(tracker);
	tracker_free_tracker();
}

module_init(tracker_init);
module_exit(tracker_exit);

MODULE_DESCRIPTION("LiteMRC tracker without hardware");
MODULE_LICENSE("GPL");
