// SPDX-License-Identifier: GPL-2.0
/*
 * tracker/ in the platform device's folder: its settings, and what its events
 * were.
 */
#include <linux/vmalloc.h>

#include "compat.h"
#include "tracker.h"

static struct tracker *tracker_of_device(struct device *device)
{
	const struct litemrc_platform_data *data = dev_get_platdata(device);

	return data->io;
}

/* A number at an offset in struct tracker; all are u32. */
struct tracker_number {
	struct device_attribute file;
	unsigned int offset;
};

static ssize_t tracker_number_show(struct device *device,
				   struct device_attribute *attribute,
				   char *text)
{
	const void *number = tracker_of_device(device);

	number += container_of(attribute, struct tracker_number, file)->offset;
	return sysfs_emit(text, "%u\n", READ_ONCE(*(u32 *)number));
}

#define TRACKER_NUMBER(_name, _mode, _store, _member)                      \
	static struct tracker_number tracker_number_##_name = {            \
		.file = __ATTR(_name, _mode, tracker_number_show, _store), \
		.offset = offsetof(struct tracker, _member),               \
	}
#define TRACKER_EVENT(_name, _member) \
	TRACKER_NUMBER(_name, 0400, NULL, _member)

/* Pages of the scan list; they change only while the monitor is disabled. */
static ssize_t scan_list_store(struct device *device,
			       struct device_attribute *attribute,
			       const char *text, size_t bytes)
{
	struct tracker *tracker = tracker_of_device(device);
	u32 pages;
	int ret;

	ret = kstrtou32(text, 0, &pages);
	if (ret)
		return ret;
	if (!pages || pages > tracker->frames)
		return -EINVAL;
	mutex_lock(&tracker->settings);
	if (tracker->running)
		ret = -EBUSY;
	else
		tracker->scan_list = pages;
	mutex_unlock(&tracker->settings);
	return ret ?: bytes;
}

TRACKER_NUMBER(scan_list, 0644, scan_list_store, scan_list);

/*
 * Milliseconds between two scans; 0, or no accessed bits: only when 1 is
 * written to `scan`.
 */
static ssize_t period_ms_store(struct device *device,
			       struct device_attribute *attribute,
			       const char *text, size_t bytes)
{
	struct tracker *tracker = tracker_of_device(device);
	u32 period;
	int ret;

	ret = kstrtou32(text, 0, &period);
	if (ret)
		return ret;
	mutex_lock(&tracker->settings);
	tracker->period_ms = period;
	if (tracker->watching && tracker_scans(tracker))
		mod_delayed_work(litemrc_system_wq(), &tracker->scan,
				 msecs_to_jiffies(period));
	mutex_unlock(&tracker->settings);
	return bytes;
}

TRACKER_NUMBER(period_ms, 0644, period_ms_store, period_ms);

/* Does what 1 in a file orders, unless the monitor is disabled. */
static ssize_t tracker_perform(struct device *device,
			       void (*action)(struct tracker *tracker),
			       size_t bytes)
{
	struct tracker *tracker = tracker_of_device(device);
	int ret = 0;

	mutex_lock(&tracker->settings);
	if (tracker->running)
		action(tracker);
	else
		ret = -ENODATA;
	mutex_unlock(&tracker->settings);
	return ret ?: bytes;
}

static ssize_t scan_store(struct device *device,
			  struct device_attribute *attribute, const char *text,
			  size_t bytes)
{
	return tracker_perform(device, tracker_scan, bytes);
}
static DEVICE_ATTR_WO(scan);

static ssize_t sweep_store(struct device *device,
			   struct device_attribute *attribute, const char *text,
			   size_t bytes)
{
	return tracker_perform(device, tracker_sweep, bytes);
}
static DEVICE_ATTR_WO(sweep);

/* Does the processor set accessed bits? */
static ssize_t accessed_bits_show(struct device *device,
				  struct device_attribute *attribute,
				  char *text)
{
	static const char *const names[] = { [TRACKER_UNKNOWN] = "unknown",
					     [TRACKER_NO] = "no",
					     [TRACKER_YES] = "yes" };

	struct tracker *tracker = tracker_of_device(device);

	return sysfs_emit(text, "%s\n",
			  names[READ_ONCE(tracker->accessed_bits)]);
}
static DEVICE_ATTR_RO(accessed_bits);

TRACKER_EVENT(faults, events.faults);
TRACKER_EVENT(scans, events.scans);
TRACKER_EVENT(bitmaps, events.bitmaps);
TRACKER_EVENT(scanned, events.scanned);
TRACKER_EVENT(accessed, events.accessed);
TRACKER_EVENT(crossed, events.crossed);
TRACKER_EVENT(untracked, untracked);

/*
 * For tests: 1 begins a log of what is counted, 0 ends it; shows the number of
 * its entries.
 */
static ssize_t log_store(struct device *device,
			 struct device_attribute *attribute, const char *text,
			 size_t bytes)
{
	struct tracker *tracker = tracker_of_device(device);
	struct tracker_entry *log = NULL, *old;
	unsigned long flags;
	bool on;
	int ret;

	ret = kstrtobool(text, &on);
	if (ret)
		return ret;
	if (on) {
		log = vzalloc(array_size(TRACKER_LOG_ENTRIES, sizeof(*log)));
		if (!log)
			return -ENOMEM;
	}
	mutex_lock(&tracker->settings);
	raw_spin_lock_irqsave(&tracker->lock, flags);
	old = tracker->log;
	tracker->log = log;
	tracker->logged = 0;
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	mutex_unlock(&tracker->settings);
	vfree(old);
	return bytes;
}

TRACKER_NUMBER(log, 0600, log_store, logged);

/* An array of struct tracker_entry. */
static ssize_t entries_read(struct file *file, struct kobject *kobj,
			    litemrc_bin_attribute *attribute, char *data,
			    loff_t offset, size_t bytes)
{
	struct tracker *tracker = tracker_of_device(kobj_to_dev(kobj));
	ssize_t ret = 0;

	mutex_lock(&tracker->settings);
	if (tracker->log)
		ret = memory_read_from_buffer(data, bytes, &offset,
					      tracker->log,
					      READ_ONCE(tracker->logged) *
						      sizeof(*tracker->log));
	mutex_unlock(&tracker->settings);
	return ret;
}
static BIN_ATTR_ADMIN_RO(entries, 0);

#define TRACKER_FILE(_name) (&tracker_number_##_name.file.attr)

static struct attribute *attributes[] = {
	TRACKER_FILE(scan_list), TRACKER_FILE(period_ms), &dev_attr_scan.attr,
	&dev_attr_sweep.attr, &dev_attr_accessed_bits.attr,
	TRACKER_FILE(faults), TRACKER_FILE(scans), TRACKER_FILE(bitmaps),
	TRACKER_FILE(scanned), TRACKER_FILE(accessed), TRACKER_FILE(crossed),
	TRACKER_FILE(untracked), TRACKER_FILE(log), NULL
};

static litemrc_bin_attribute *binaries[] = { &bin_attr_entries, NULL };

static const struct attribute_group group = {
	.name = "tracker",
	.attrs = attributes,
	.bin_attrs = binaries,
};

const struct attribute_group *tracker_groups[] = { &group, NULL };
