// SPDX-License-Identifier: GPL-2.0
/* /sys/class/misc/litemrcN/: attributes with a format of their own; switches.c has the others. */
#include <linux/device.h>

#include "litemrc.h"

static const char *const engines[] = {
	LITEMRC_ENGINE_NAMES,
	[LITEMRC_ENGINE_OS] = "os",
};

static ssize_t abi_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%d\n", LITEMRC_ABI_VERSION);
}
static DEVICE_ATTR_RO(abi);

static ssize_t parameters_show(struct device *device, struct device_attribute *attribute,
			       char *text)
{
	const struct litemrc *mon = litemrc_of_device(device);
	const struct litemrc_parameters *parameters = &mon->parameters;

	return sysfs_emit(text,
			  "version %u\npage_shift %u\nframes %u\ngroups %u\ncontexts %u\npages %u\n"
			  "recent_pages %u\nqueue_depth %u\nranks %u\nepoch_least %u\n"
			  "record_bytes %zu\npage_bitmap %d\nhot_pages %u\nbanks %u\n"
			  "access_bytes %u\nfirst_page %lu\n",
			  parameters->version, parameters->page_shift, parameters->frames,
			  parameters->groups, parameters->contexts, parameters->pages,
			  parameters->recent_pages, parameters->queue_depth, parameters->ranks,
			  litemrc_epoch_least(mon), mon->ring.record_bytes,
			  parameters->page_bitmap, parameters->hot_pages, parameters->banks,
			  parameters->access_bytes, mon->first_pfn);
}
static DEVICE_ATTR_RO(parameters);

static ssize_t engine_show(struct device *device, struct device_attribute *attribute, char *text)
{
	u32 engine = litemrc_of_device(device)->parameters.engine;

	if (engine >= ARRAY_SIZE(engines) || !engines[engine])
		return sysfs_emit(text, "unknown\n");
	return sysfs_emit(text, "%s\n", engines[engine]);
}

static ssize_t engine_store(struct device *device, struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	u32 engine;

	for (engine = 0; engine < ARRAY_SIZE(engines); engine++)
		if (engines[engine] && sysfs_streq(text, engines[engine]))
			return engine == litemrc_of_device(device)->parameters.engine ? bytes :
											-ENODEV;
	return -EINVAL;
}
static DEVICE_ATTR_RW(engine);

static ssize_t epoch_length_show(struct device *device, struct device_attribute *attribute,
				 char *text)
{
	struct litemrc *mon = litemrc_of_device(device);
	ssize_t bytes;

	/* It is 0 for a while in the middle of some other settings. */
	mutex_lock(&mon->settings);
	bytes = sysfs_emit(text, "%u %s\n", litemrc_read(mon, LITEMRC_EPOCH_LENGTH),
			   litemrc_read(mon, LITEMRC_CONTROL) & LITEMRC_CONTROL_EPOCH_UNIT ?
				   "cycles" :
				   "accesses");
	mutex_unlock(&mon->settings);
	return bytes;
}

static ssize_t epoch_length_store(struct device *device, struct device_attribute *attribute,
				  const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	const char *unit;
	bool cycles;
	u32 length;
	int ret;

	ret = litemrc_parse_numbers(text, &length, 1, &unit);
	if (ret)
		return ret;
	cycles = sysfs_streq(unit, "cycles");
	if (!(cycles || sysfs_streq(unit, "accesses")))
		return -EINVAL;
	mutex_lock(&mon->settings);
	ret = litemrc_set_epoch_length(mon, length, cycles);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}
static DEVICE_ATTR_RW(epoch_length);

static ssize_t range_show(struct device *device, struct device_attribute *attribute, char *text)
{
	struct litemrc *mon = litemrc_of_device(device);
	ssize_t bytes;

	mutex_lock(&mon->settings);
	bytes = sysfs_emit(text, "%u %u\n", litemrc_read(mon, LITEMRC_RANGE_LOWER),
			   litemrc_read(mon, LITEMRC_RANGE_UPPER));
	mutex_unlock(&mon->settings);
	return bytes;
}

static ssize_t range_store(struct device *device, struct device_attribute *attribute,
			   const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	u32 frames[2];
	int ret;

	ret = litemrc_parse_numbers(text, frames, ARRAY_SIZE(frames), NULL);
	if (ret)
		return ret;
	mutex_lock(&mon->settings);
	ret = litemrc_set_range(mon, frames[0], frames[1]);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}
static DEVICE_ATTR_RW(range);

static ssize_t sampling_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n", litemrc_read(litemrc_of_device(device), LITEMRC_SAMPLING));
}

static ssize_t sampling_store(struct device *device, struct device_attribute *attribute,
			      const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	u32 sampling;
	int ret;

	ret = litemrc_parse_numbers(text, &sampling, 1, NULL);
	if (ret)
		return ret;
	mutex_lock(&mon->settings);
	ret = litemrc_set_sampling(mon, sampling);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}
static DEVICE_ATTR_RW(sampling);

static ssize_t invalidate_store(struct device *device, struct device_attribute *attribute,
				const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	u32 frame;
	int ret;

	ret = litemrc_parse_numbers(text, &frame, 1, NULL);
	if (ret)
		return ret;
	if (frame >= mon->parameters.frames)
		return -EINVAL;
	litemrc_invalidate(mon, frame);
	ret = litemrc_wait_invalidated(mon);
	return ret ?: bytes;
}
static DEVICE_ATTR_WO(invalidate);

static ssize_t lost_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n", READ_ONCE(litemrc_of_device(device)->ring.lost));
}
static DEVICE_ATTR_ADMIN_RO(lost);

static ssize_t commands_lost_show(struct device *device, struct device_attribute *attribute,
				  char *text)
{
	return sysfs_emit(text, "%u\n", READ_ONCE(litemrc_of_device(device)->commands_lost));
}
static DEVICE_ATTR_ADMIN_RO(commands_lost);

static ssize_t commands_late_show(struct device *device, struct device_attribute *attribute,
				  char *text)
{
	return sysfs_emit(text, "%u\n", READ_ONCE(litemrc_of_device(device)->commands_late));
}
static DEVICE_ATTR_ADMIN_RO(commands_late);

static ssize_t stuck_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%d\n", READ_ONCE(litemrc_of_device(device)->stuck));
}
static DEVICE_ATTR_RO(stuck);

static struct attribute *settings_attributes[] = {
	&dev_attr_abi.attr,	     &dev_attr_parameters.attr, &dev_attr_engine.attr,
	&dev_attr_epoch_length.attr, &dev_attr_range.attr,	&dev_attr_sampling.attr,
	&dev_attr_invalidate.attr,   &dev_attr_lost.attr,	&dev_attr_commands_lost.attr,
	&dev_attr_commands_late.attr, &dev_attr_stuck.attr,	NULL
};

static const struct attribute_group settings_group = {
	.attrs = settings_attributes,
};

const struct attribute_group *litemrc_groups[] = { &settings_group, &litemrc_switch_group,
						   &litemrc_bitmap_group, &litemrc_hot_group,
						   &litemrc_dram_group, NULL };
