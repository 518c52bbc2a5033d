// SPDX-License-Identifier: GPL-2.0
/* Frames of known use, for tests of the claim: their numbers are added to the log. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include "compat.h"
#include "litemrc_fake.h"

static void log_frames(struct fake *fake, unsigned long pfn, unsigned int count)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	while (count--)
		fake_log(fake, FAKE_FRAME, pfn++ - PHYS_PFN(fake->memory));
	raw_spin_unlock_irqrestore(&fake->lock, flags);
}

/* Writing anything logs the frames of all kernel stacks. */
static ssize_t stacks_store(struct device *device, struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	struct task_struct *process, *thread;

	rcu_read_lock();
	for_each_process_thread(process, thread)
		log_frames(fake, PHYS_PFN(__pa(task_stack_page(thread))), THREAD_SIZE / PAGE_SIZE);
	rcu_read_unlock();
	return bytes;
}
static DEVICE_ATTR_WO(stacks);

/* Writing "ORDER COMPOUND" allocates 2^ORDER frames, as a compound page or not, and logs them. */
static ssize_t allocate_store(struct device *device, struct device_attribute *attribute,
			      const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned int order, compound;
	struct page *page;

	if (sscanf(text, "%u %u", &order, &compound) != 2 || fake->held_count == FAKE_HELD)
		return -EINVAL;
	page = alloc_pages(GFP_KERNEL | (compound ? __GFP_COMP : 0), order);
	if (!page)
		return -ENOMEM;
	fake->held[fake->held_count] = page;
	fake->held_order[fake->held_count++] = order;
	log_frames(fake, page_to_pfn(page), 1U << order);
	return bytes;
}
static DEVICE_ATTR_WO(allocate);

void fake_release(struct fake *fake)
{
	while (fake->held_count--)
		__free_pages(fake->held[fake->held_count], fake->held_order[fake->held_count]);
	fake->held_count = 0;
}

/* Writing "now" frees them; "claim": when the driver next claims a frame. */
static ssize_t release_store(struct device *device, struct device_attribute *attribute,
			     const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);

	if (sysfs_streq(text, "claim"))
		fake->release_on_claim = true;
	else
		fake_release(fake);
	return bytes;
}
static DEVICE_ATTR_WO(release);

/* A bit for each frame, from the least significant bit of the first byte. */
static ssize_t claimed_read(struct file *file, struct kobject *kobj,
			    litemrc_bin_attribute *attribute, char *data,
			    loff_t offset, size_t bytes)
{
	struct fake *fake = fake_of_device(kobj_to_dev(kobj));

	return memory_read_from_buffer(data, bytes, &offset, fake->claimed,
				       BIT(fake->frames_log2) / BITS_PER_BYTE);
}
static BIN_ATTR_RO(claimed, 0);

static struct attribute *memory_attributes[] = {
	&dev_attr_stacks.attr,
	&dev_attr_allocate.attr,
	&dev_attr_release.attr,
	NULL
};

static litemrc_bin_attribute *memory_binaries[] = {
	&bin_attr_claimed,
	NULL
};

const struct attribute_group fake_memory_group = {
	.name = "memory",
	.attrs = memory_attributes,
	.bin_attrs = memory_binaries,
};
