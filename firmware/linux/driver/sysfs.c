// SPDX-License-Identifier: GPL-2.0
/* /sys/class/misc/litemrcN/: settings; and what all files of sysfs share. */
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "litemrc.h"

/* Parses text written to sysfs: decimal numbers separated by blanks, then at most one newline. */

static const char *litemrc_skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/**
 * litemrc_parse_numbers - parse numbers from 0 to 2^32 - 1
 * @text: the text written by the user
 * @numbers: the result; undefined on failure
 * @count: the required number of numbers
 * @rest: set to the text after them and blanks; NULL: there must be none
 *
 * Return: 0 or -EINVAL
 */
int litemrc_parse_numbers(const char *text, u32 *numbers, unsigned int count, const char **rest)
{
	while (count--) {
		u64 number = 0;

		if (!isdigit(*text))
			return -EINVAL;
		for (; isdigit(*text); text++) {
			number = number * 10 + *text - '0';
			if (number > U32_MAX)
				return -EINVAL;
		}
		*numbers++ = number;
		if (*text && !isspace(*text))
			return -EINVAL;
		text = litemrc_skip_blanks(text);
	}
	if (rest)
		*rest = text;
	else if (!sysfs_streq(text, ""))
		return -EINVAL;
	return 0;
}
EXPORT_SYMBOL_GPL(litemrc_parse_numbers);

int litemrc_parse_switch(const char *text, bool *on)
{
	u32 number;

	if (litemrc_parse_numbers(text, &number, 1, NULL) || number > 1)
		return -EINVAL;
	*on = number;
	return 0;
}
EXPORT_SYMBOL_GPL(litemrc_parse_switch);

/*
 * Numbered folders in sysfs. They keep no pointer: a folder's name is its number and its
 * grandparent is the device, so sysfs manages their lifetime and none refers to a removed monitor.
 */

void litemrc_remove_folders(struct litemrc_folders *folders)
{
	while (folders->count)
		kobject_put(folders->child[--folders->count]);
	kfree(folders->child);
	kobject_put(folders->parent);
}
EXPORT_SYMBOL_GPL(litemrc_remove_folders);

static int litemrc_add_folder(struct litemrc_folders *folders, const struct attribute_group *group)
{
	struct kobject *child;
	char name[12];
	int ret;

	snprintf(name, sizeof(name), "%u", folders->count);
	child = kobject_create_and_add(name, folders->parent);
	if (!child)
		return -ENOMEM;
	ret = sysfs_create_group(child, group);
	if (ret) {
		kobject_put(child);
		return ret;
	}
	folders->child[folders->count++] = child;
	return 0;
}

int litemrc_add_folders(struct litemrc *mon, struct litemrc_folders *folders, const char *name,
			unsigned int count, const struct attribute_group *group)
{
	int ret;

	folders->count = 0;
	folders->child = kcalloc(count, sizeof(*folders->child), GFP_KERNEL);
	if (!folders->child)
		return -ENOMEM;
	folders->parent = kobject_create_and_add(name, &mon->misc.this_device->kobj);
	if (!folders->parent) {
		kfree(folders->child);
		return -ENOMEM;
	}
	while (folders->count < count) {
		ret = litemrc_add_folder(folders, group);
		if (ret) {
			litemrc_remove_folders(folders);
			return ret;
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(litemrc_add_folders);

struct litemrc *litemrc_of_folder(struct kobject *kobj, unsigned int *number)
{
	if (kstrtouint(kobject_name(kobj), 10, number))
		*number = 0; /* unreachable: litemrc_add_folder() named it */
	return litemrc_of_device(kobj_to_dev(kobj->parent->parent));
}
EXPORT_SYMBOL_GPL(litemrc_of_folder);

/* Attributes that show a register or a bit of it, set a bit, or issue a command. */

struct switch_attribute {
	struct device_attribute attribute;
	unsigned int offset;
	u32 mask; /* the bit shown; 0: the whole register */
	int (*set)(struct litemrc *mon, bool on);
};

static const struct switch_attribute *of_attribute(const struct device_attribute *attribute)
{
	return container_of(attribute, struct switch_attribute, attribute);
}

static ssize_t register_show(struct device *device, struct device_attribute *attribute, char *text)
{
	const struct switch_attribute *shown = of_attribute(attribute);
	struct litemrc *mon = litemrc_of_device(device);
	u32 value;

	if (shown->offset == LITEMRC_EPOCH)
		smp_store_mb(mon->epoch_read, true); /* notify_epoch() of a later epoch sees it */
	value = litemrc_read(mon, shown->offset);
	return sysfs_emit(text, "%u\n", shown->mask ? !!(value & shown->mask) : value);
}

static ssize_t litemrc_order_switch(struct device *device, struct device_attribute *attribute, bool on,
			  size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	int ret;

	mutex_lock(&mon->settings);
	ret = of_attribute(attribute)->set(mon, on);
	mutex_unlock(&mon->settings);
	return ret ?: bytes;
}

static ssize_t switch_store(struct device *device, struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	bool on;
	int ret;

	ret = litemrc_parse_switch(text, &on);
	return ret ?: litemrc_order_switch(device, attribute, on, bytes);
}

/* Accepts 1 only. */
static ssize_t command_store(struct device *device, struct device_attribute *attribute,
			     const char *text, size_t bytes)
{
	bool on;

	if (litemrc_parse_switch(text, &on) || !on)
		return -EINVAL;
	return litemrc_order_switch(device, attribute, on, bytes);
}

static int litemrc_set_freeze(struct litemrc *mon, bool on)
{
	litemrc_set_control(mon, LITEMRC_CONTROL_FREEZE, on ? LITEMRC_CONTROL_FREEZE : 0);
	return 0;
}

static int litemrc_set_single_shot(struct litemrc *mon, bool on)
{
	litemrc_set_control(mon, LITEMRC_CONTROL_SINGLE_SHOT, on ? LITEMRC_CONTROL_SINGLE_SHOT : 0);
	return 0;
}

static int litemrc_end_epoch_order(struct litemrc *mon, bool on)
{
	return litemrc_end_epoch(mon);
}

static int litemrc_clear_order(struct litemrc *mon, bool on)
{
	return litemrc_clear(mon);
}

static int litemrc_arm(struct litemrc *mon, bool on)
{
	litemrc_command(mon, LITEMRC_COMMAND_ARM);
	return 0;
}

#define REGISTER_ATTRIBUTE(_name, _offset, _mask)                      \
	struct switch_attribute attribute_##_name = {                  \
		.attribute = __ATTR(_name, 0400, register_show, NULL), \
		.offset = _offset,                                     \
		.mask = _mask,                                         \
	}
#define SWITCH_ATTRIBUTE(_name, _mask, _set)                                   \
	struct switch_attribute attribute_##_name = {                          \
		.attribute = __ATTR(_name, 0644, register_show, switch_store), \
		.offset = LITEMRC_CONTROL,                                     \
		.mask = _mask,                                                 \
		.set = _set,                                                   \
	}
#define COMMAND_ATTRIBUTE(_name, _set)                                 \
	struct switch_attribute attribute_##_name = {                  \
		.attribute = __ATTR(_name, 0200, NULL, command_store), \
		.set = _set,                                           \
	}

static SWITCH_ATTRIBUTE(enable, LITEMRC_CONTROL_ENABLE, litemrc_enable);
static SWITCH_ATTRIBUTE(freeze, LITEMRC_CONTROL_FREEZE, litemrc_set_freeze);
static SWITCH_ATTRIBUTE(split, LITEMRC_CONTROL_SPLIT, litemrc_set_split);
static SWITCH_ATTRIBUTE(single_shot, LITEMRC_CONTROL_SINGLE_SHOT, litemrc_set_single_shot);
static COMMAND_ATTRIBUTE(end_epoch, litemrc_end_epoch_order);
static COMMAND_ATTRIBUTE(clear, litemrc_clear_order);
static COMMAND_ATTRIBUTE(arm, litemrc_arm);
static REGISTER_ATTRIBUTE(frozen, LITEMRC_STATUS, LITEMRC_STATUS_FROZEN);
static REGISTER_ATTRIBUTE(epoch, LITEMRC_EPOCH, 0);
static REGISTER_ATTRIBUTE(scale, LITEMRC_SCALE, 0);

static REGISTER_ATTRIBUTE(dropped, LITEMRC_DROPPED, 0);
static REGISTER_ATTRIBUTE(queue_peak, LITEMRC_QUEUE_PEAK, 0);

static struct attribute *switch_attributes[] = {
	&attribute_enable.attribute.attr,
	&attribute_freeze.attribute.attr,
	&attribute_single_shot.attribute.attr,
	&attribute_split.attribute.attr,
	&attribute_end_epoch.attribute.attr,
	&attribute_clear.attribute.attr,
	&attribute_arm.attribute.attr,
	&attribute_frozen.attribute.attr,
	&attribute_epoch.attribute.attr,
	&attribute_scale.attribute.attr,
	&attribute_dropped.attribute.attr,
	&attribute_queue_peak.attribute.attr,
	NULL
};

static const struct attribute_group litemrc_switch_group = {
	.attrs = switch_attributes,
};

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
						   NULL };
