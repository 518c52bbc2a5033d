// SPDX-License-Identifier: GPL-2.0
/* The interface for tests: fake/ in the platform device's folder. */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/string.h>

#include "compat.h"
#include "litemrc_fake.h"

/*
 * Has the caller allocate a page, and frees it; returns its frame, or a
 * negative error.
 */
static long with_new_page(struct fake *fake,
			  void (*use)(struct fake *fake, u32 frame, void *data),
			  void *data)
{
	unsigned long address, flags;
	struct page *page;
	long frame;

	address = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(address))
		return (long)address;
	frame = get_user_pages_fast(address, 1, FOLL_WRITE, &page);
	if (frame == 1) {
		frame = page_to_pfn(page) - PHYS_PFN(fake->memory);
		raw_spin_lock_irqsave(&fake->lock, flags);
		use(fake, frame, data);
		raw_spin_unlock_irqrestore(&fake->lock, flags);
		put_page(page);
	}
	vm_munmap(address, PAGE_SIZE);
	return frame;
}

struct accesses {
	u32 count;
	int group;
};

static void access(struct fake *fake, u32 frame, void *data)
{
	const struct accesses *accesses = data;

	fake_access(fake, frame, accesses->count, accesses->group);
}

/* Writing N makes N accesses to a new page of the caller. */
static ssize_t access_store(struct device *device,
			    struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	struct accesses accesses = { .group = -1 };
	long frame;
	int ret;

	ret = kstrtou32(text, 10, &accesses.count);
	if (ret)
		return ret;
	frame = with_new_page(fake_of_device(device), access, &accesses);
	return frame < 0 ? frame : bytes;
}
static DEVICE_ATTR_WO(access);

/* Writing "G N" makes N such accesses whose LRU position is in page group G. */
static ssize_t hit_store(struct device *device,
			 struct device_attribute *attribute, const char *text,
			 size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	struct accesses accesses;
	long frame;

	if (sscanf(text, "%d %u", &accesses.group, &accesses.count) != 2 ||
	    accesses.group < 0 || accesses.group >= FAKE_GROUPS)
		return -EINVAL;
	WRITE_ONCE(fake->counting, true);
	frame = with_new_page(fake, access, &accesses);
	return frame < 0 ? frame : bytes;
}
static DEVICE_ATTR_WO(hit);

static void note_owner(struct fake *fake, u32 frame, void *data)
{
	*(u32 *)data = fake_owner(fake, frame);
}

/* The context of accesses to a new page of the reader. */
static ssize_t owner_show(struct device *device,
			  struct device_attribute *attribute, char *text)
{
	u32 context;
	long frame =
		with_new_page(fake_of_device(device), note_owner, &context);

	return frame < 0 ? frame : sysfs_emit(text, "%u\n", context);
}
static DEVICE_ATTR_RO(owner);

/* The context of accesses to each frame, a byte each. */
static ssize_t owners_read(struct file *file, struct kobject *kobj,
			   litemrc_bin_attribute *attribute, char *data,
			   loff_t offset, size_t bytes)
{
	struct fake *fake = fake_of_device(kobj_to_dev(kobj));
	size_t read;

	for (read = 0; read < bytes && offset + read < BIT(fake->frames_log2);
	     read++)
		data[read] = fake_owner(fake, offset + read);
	return read;
}
static BIN_ATTR_RO(owners, 0);

/* Writing an address of the caller adds its frame to the log. */
static ssize_t frame_of_store(struct device *device,
			      struct device_attribute *attribute,
			      const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned long address, flags;
	struct page *page;
	int ret;

	ret = kstrtoul(text, 0, &address);
	if (ret)
		return ret;
	ret = get_user_pages_fast(address, 1, 0, &page);
	if (ret != 1)
		return ret ?: -EFAULT;
	raw_spin_lock_irqsave(&fake->lock, flags);
	fake_log(fake, FAKE_FRAME, page_to_pfn(page) - PHYS_PFN(fake->memory));
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	put_page(page);
	return bytes;
}
static DEVICE_ATTR_WO(frame_of);

/* Accesses frames in the bitmaps of the running epoch, and nowhere else. */
static ssize_t note_frames(struct device *device, const char *text,
			   size_t bytes, bool written)
{
	struct fake *fake = fake_of_device(device);
	u32 frame, last;
	unsigned long flags;
	int words = sscanf(text, "%u %u", &frame, &last);

	if (words == 1)
		last = frame;
	if (words < 1 || !fake->bits || frame > last ||
	    last >> fake->frames_log2)
		return -EINVAL;
	raw_spin_lock_irqsave(&fake->lock, flags);
	for (; frame <= last; frame++) {
		u32 *word = fake->bits + frame / LITEMRC_BITMAP_FRAMES;

		word[0] |= BIT(frame % LITEMRC_BITMAP_FRAMES);
		if (written)
			word[fake_words(fake)] |=
				BIT(frame % LITEMRC_BITMAP_FRAMES);
	}
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return bytes;
}

/* Writing "FRAME" or "FIRST LAST" reads these frames. */
static ssize_t touch_store(struct device *device,
			   struct device_attribute *attribute, const char *text,
			   size_t bytes)
{
	return note_frames(device, text, bytes, false);
}
static DEVICE_ATTR_WO(touch);

/* The same writes them. */
static ssize_t dirty_store(struct device *device,
			   struct device_attribute *attribute, const char *text,
			   size_t bytes)
{
	return note_frames(device, text, bytes, true);
}
static DEVICE_ATTR_WO(dirty);

static ssize_t violations_show(struct device *device,
			       struct device_attribute *attribute, char *text)
{
	struct fake *fake = fake_of_device(device);

	return sysfs_emit(text, "%u %s\n", fake->violations,
			  fake->violation ?: "");
}
static DEVICE_ATTR_RO(violations);

static ssize_t forget_store(struct device *device,
			    struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	fake->logged = 0;
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return bytes;
}
static DEVICE_ATTR_WO(forget);

/*
 * Writing "lost" or "late" asserts that status until the driver acknowledges
 * it.
 */
static ssize_t report_store(struct device *device,
			    struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	fake->reports |= sysfs_streq(text, "lost") ?
				 LITEMRC_STATUS_COMMAND_LOST :
				 LITEMRC_STATUS_COMMAND_LATE;
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return bytes;
}
static DEVICE_ATTR_WO(report);

/* Writing "pending" or "due" asserts that status for good; "none" ends it. */
static ssize_t stall_store(struct device *device,
			   struct device_attribute *attribute, const char *text,
			   size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	fake->stalled = sysfs_streq(text, "pending") ?
				LITEMRC_STATUS_COMMAND_PENDING :
			sysfs_streq(text, "due") ? LITEMRC_STATUS_EPOCH_DUE :
						   0;
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return bytes;
}
static DEVICE_ATTR_WO(stall);

/* Something else than the driver clears control.enable. */
static ssize_t disabled_store(struct device *device,
			      struct device_attribute *attribute,
			      const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	unsigned long flags;

	raw_spin_lock_irqsave(&fake->lock, flags);
	fake->control &= ~LITEMRC_CONTROL_ENABLE;
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return bytes;
}
static DEVICE_ATTR_WO(disabled);

/*
 * Writing 1: whatever its length, an epoch is longer as soon as the window is
 * released.
 */
static ssize_t endless_store(struct device *device,
			     struct device_attribute *attribute,
			     const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	bool endless;
	int ret;

	ret = kstrtobool(text, &endless);
	WRITE_ONCE(fake->endless, endless);
	return ret ?: bytes;
}
static DEVICE_ATTR_WO(endless);

static ssize_t status_reads_show(struct device *device,
				 struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n",
			  READ_ONCE(fake_of_device(device)->status_reads));
}
static DEVICE_ATTR_RO(status_reads);

/*
 * Writing N: each rank has N pages of the working set; below 0: what identifies
 * the epoch.
 */
static ssize_t top_pages_store(struct device *device,
			       struct device_attribute *attribute,
			       const char *text, size_t bytes)
{
	return kstrtos32(text, 10, &fake_of_device(device)->top_pages) ?: bytes;
}
static DEVICE_ATTR_WO(top_pages);

/* Hangs the kernel with interrupts off, for the test of a silent guest. */
static ssize_t hang_store(struct device *device,
			  struct device_attribute *attribute, const char *text,
			  size_t bytes)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
	return bytes;
}
static DEVICE_ATTR_WO(hang);

/* An array of struct fake_entry. */
static ssize_t log_read(struct file *file, struct kobject *kobj,
			litemrc_bin_attribute *attribute, char *data,
			loff_t offset, size_t bytes)
{
	struct fake *fake = fake_of_device(kobj_to_dev(kobj));

	return memory_read_from_buffer(data, bytes, &offset, fake->log,
				       READ_ONCE(fake->logged) *
					       sizeof(*fake->log));
}
static BIN_ATTR_RO(log, 0);

static struct attribute *fake_attributes[] = {
	&dev_attr_access.attr,	     &dev_attr_hit.attr,
	&dev_attr_owner.attr,	     &dev_attr_frame_of.attr,
	&dev_attr_touch.attr,	     &dev_attr_dirty.attr,
	&dev_attr_violations.attr,   &dev_attr_forget.attr,
	&dev_attr_report.attr,	     &dev_attr_stall.attr,
	&dev_attr_disabled.attr,     &dev_attr_endless.attr,
	&dev_attr_status_reads.attr, &dev_attr_top_pages.attr,
	&dev_attr_hang.attr,	     NULL
};

static litemrc_bin_attribute *fake_binaries[] = { &bin_attr_log,
						  &bin_attr_owners, NULL };

static const struct attribute_group fake_group = {
	.name = "fake",
	.attrs = fake_attributes,
	.bin_attrs = fake_binaries,
};

const struct attribute_group *fake_groups[] = { &fake_group, &fake_ages_group,
						&fake_hot_group, NULL };
