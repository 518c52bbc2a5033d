// SPDX-License-Identifier: GPL-2.0
/* /sys/class/misc/litemrcN/: settings, commands, registers and parameters. */
#include <linux/device.h>

#include "litemrc.h"

static int litemrc_set_freeze(struct litemrc *mon, u32 on)
{
	litemrc_set_control(mon, LITEMRC_CONTROL_FREEZE,
			    on ? LITEMRC_CONTROL_FREEZE : 0);
	return 0;
}

static int litemrc_set_single_shot(struct litemrc *mon, u32 on)
{
	litemrc_set_control(mon, LITEMRC_CONTROL_SINGLE_SHOT,
			    on ? LITEMRC_CONTROL_SINGLE_SHOT : 0);
	return 0;
}

static int litemrc_end_epoch_order(struct litemrc *mon, u32 one)
{
	return litemrc_end_epoch(mon);
}

static int litemrc_clear_order(struct litemrc *mon, u32 one)
{
	return litemrc_clear(mon);
}

static int litemrc_arm(struct litemrc *mon, u32 one)
{
	litemrc_command(mon, LITEMRC_COMMAND_ARM);
	return 0;
}

static int litemrc_invalidate_order(struct litemrc *mon, u32 frame)
{
	if (frame >= mon->parameters.frames)
		return -EINVAL;
	litemrc_invalidate(mon, frame);
	return litemrc_wait_invalidated(mon);
}

static u64 litemrc_get_epoch(struct litemrc *mon)
{
	/* notify_epoch() of a later epoch sees it */
	smp_store_mb(mon->epoch_read, true);
	return litemrc_read(mon, LITEMRC_EPOCH);
}

/* It is 0 for a while in the middle of some other settings. */
static u64 litemrc_get_epoch_length(struct litemrc *mon)
{
	u32 length;

	mutex_lock(&mon->settings);
	length = litemrc_read(mon, LITEMRC_EPOCH_LENGTH);
	mutex_unlock(&mon->settings);
	return length;
}

static int litemrc_set_range_lower(struct litemrc *mon, u32 frame)
{
	return litemrc_set_range(mon, frame,
				 litemrc_read(mon, LITEMRC_RANGE_UPPER));
}

static int litemrc_set_range_upper(struct litemrc *mon, u32 frame)
{
	return litemrc_set_range(mon, litemrc_read(mon, LITEMRC_RANGE_LOWER),
				 frame);
}

#define LITEMRC_SWITCH(_name, _mask, _set)                           \
	LITEMRC_NUMBER(file, _name, 0644, .offset = LITEMRC_CONTROL, \
		       .mask = _mask, .set = _set, .most = 1)
#define LITEMRC_ORDER(_name, _set) \
	LITEMRC_NUMBER(file, _name, 0200, .set = _set, .least = 1, .most = 1)
#define LITEMRC_SETTING(_name, _register, _set)                             \
	LITEMRC_NUMBER(file, _name, 0644, .offset = _register, .set = _set, \
		       .most = U32_MAX)
#define LITEMRC_REGISTER(_name, _register, _mask) \
	LITEMRC_NUMBER(file, _name, 0400, .offset = _register, .mask = _mask)

LITEMRC_SWITCH(enable, LITEMRC_CONTROL_ENABLE, litemrc_enable);
LITEMRC_SWITCH(freeze, LITEMRC_CONTROL_FREEZE, litemrc_set_freeze);
LITEMRC_SWITCH(split, LITEMRC_CONTROL_SPLIT, litemrc_set_split);
LITEMRC_SWITCH(single_shot, LITEMRC_CONTROL_SINGLE_SHOT,
	       litemrc_set_single_shot);
LITEMRC_ORDER(end_epoch, litemrc_end_epoch_order);
LITEMRC_ORDER(clear, litemrc_clear_order);
LITEMRC_ORDER(arm, litemrc_arm);
LITEMRC_SETTING(range_lower, LITEMRC_RANGE_LOWER, litemrc_set_range_lower);
LITEMRC_SETTING(range_upper, LITEMRC_RANGE_UPPER, litemrc_set_range_upper);
LITEMRC_SETTING(sampling, LITEMRC_SAMPLING, litemrc_set_sampling);
LITEMRC_NUMBER(file, epoch_length, 0644, .get = litemrc_get_epoch_length,
	       .set = litemrc_set_epoch_length, .most = U32_MAX);
LITEMRC_NUMBER(file, invalidate, 0200, .set = litemrc_invalidate_order,
	       .most = U32_MAX);
LITEMRC_NUMBER(file, epoch, 0400, .get = litemrc_get_epoch);
LITEMRC_REGISTER(frozen, LITEMRC_STATUS, LITEMRC_STATUS_FROZEN);
LITEMRC_REGISTER(scale, LITEMRC_SCALE, 0);
LITEMRC_REGISTER(dropped, LITEMRC_DROPPED, 0);
LITEMRC_REGISTER(queue_peak, LITEMRC_QUEUE_PEAK, 0);
LITEMRC_MEMBER(file, lost, 0400, struct litemrc, ring.lost);
LITEMRC_MEMBER(file, commands_lost, 0400, struct litemrc, commands_lost);
LITEMRC_MEMBER(file, commands_late, 0400, struct litemrc, commands_late);
LITEMRC_MEMBER(file, stuck, 0444, struct litemrc, stuck);

static const char *const engines[] = {
	LITEMRC_ENGINE_NAMES,
	[LITEMRC_ENGINE_OS] = "os",
};

static ssize_t abi_show(struct device *device,
			struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%d\n", LITEMRC_ABI_VERSION);
}
static DEVICE_ATTR_RO(abi);

static ssize_t engine_show(struct device *device,
			   struct device_attribute *attribute, char *text)
{
	u32 engine = litemrc_of_device(device)->parameters.engine;

	if (engine >= ARRAY_SIZE(engines) || !engines[engine])
		return sysfs_emit(text, "unknown\n");
	return sysfs_emit(text, "%s\n", engines[engine]);
}

static ssize_t engine_store(struct device *device,
			    struct device_attribute *attribute,
			    const char *text, size_t bytes)
{
	u32 engine;

	for (engine = 0; engine < ARRAY_SIZE(engines); engine++)
		if (engines[engine] && sysfs_streq(text, engines[engine]))
			return engine == litemrc_of_device(device)
						       ->parameters.engine ?
				       bytes :
				       -ENODEV;
	return -EINVAL;
}
static DEVICE_ATTR_RW(engine);

static ssize_t epoch_unit_show(struct device *device,
			       struct device_attribute *attribute, char *text)
{
	u32 control = litemrc_read(litemrc_of_device(device), LITEMRC_CONTROL);

	return sysfs_emit(text, "%s\n",
			  control & LITEMRC_CONTROL_EPOCH_UNIT ? "cycles" :
								 "accesses");
}

static ssize_t epoch_unit_store(struct device *device,
				struct device_attribute *attribute,
				const char *text, size_t bytes)
{
	struct litemrc *mon = litemrc_of_device(device);
	bool cycles = sysfs_streq(text, "cycles");

	if (!cycles && !sysfs_streq(text, "accesses"))
		return -EINVAL;
	mutex_lock(&mon->settings);
	litemrc_set_epoch_unit(mon, cycles);
	mutex_unlock(&mon->settings);
	return bytes;
}
static DEVICE_ATTR_RW(epoch_unit);

static struct attribute *litemrc_files[] = {
	&dev_attr_abi.attr, &dev_attr_engine.attr, &dev_attr_epoch_unit.attr,
	LITEMRC_FILE(file, epoch_length), LITEMRC_FILE(file, enable),
	LITEMRC_FILE(file, freeze), LITEMRC_FILE(file, split),
	LITEMRC_FILE(file, single_shot), LITEMRC_FILE(file, end_epoch),
	LITEMRC_FILE(file, clear), LITEMRC_FILE(file, arm),
	LITEMRC_FILE(file, range_lower), LITEMRC_FILE(file, range_upper),
	LITEMRC_FILE(file, sampling), LITEMRC_FILE(file, invalidate),
	LITEMRC_FILE(file, epoch), LITEMRC_FILE(file, frozen),
	LITEMRC_FILE(file, scale), LITEMRC_FILE(file, dropped),
	LITEMRC_FILE(file, queue_peak), LITEMRC_FILE(file, lost),
	LITEMRC_FILE(file, commands_lost), LITEMRC_FILE(file, commands_late),
	LITEMRC_FILE(file, stuck), NULL
};

static const struct attribute_group litemrc_file_group = {
	.attrs = litemrc_files,
};

static u64 litemrc_get_epoch_least(struct litemrc *mon)
{
	return litemrc_epoch_least(mon);
}

static u64 litemrc_get_record_bytes(struct litemrc *mon)
{
	return mon->ring.record_bytes;
}

static u64 litemrc_get_first_page(struct litemrc *mon)
{
	return mon->first_pfn;
}

#define LITEMRC_PARAMETER(_name) \
	LITEMRC_MEMBER(parameter, _name, 0444, struct litemrc, parameters._name)

LITEMRC_PARAMETER(version);
LITEMRC_PARAMETER(page_shift);
LITEMRC_PARAMETER(frames);
LITEMRC_PARAMETER(groups);
LITEMRC_PARAMETER(contexts);
LITEMRC_PARAMETER(pages);
LITEMRC_PARAMETER(recent_pages);
LITEMRC_PARAMETER(queue_depth);
LITEMRC_PARAMETER(ranks);
LITEMRC_PARAMETER(page_bitmap);
LITEMRC_PARAMETER(hot_pages);
LITEMRC_PARAMETER(banks);
LITEMRC_PARAMETER(access_bytes);
LITEMRC_NUMBER(parameter, epoch_least, 0444, .get = litemrc_get_epoch_least);
LITEMRC_NUMBER(parameter, record_bytes, 0444, .get = litemrc_get_record_bytes);
LITEMRC_NUMBER(parameter, first_page, 0444, .get = litemrc_get_first_page);

static struct attribute *litemrc_parameters[] = {
	LITEMRC_FILE(parameter, version), LITEMRC_FILE(parameter, page_shift),
	LITEMRC_FILE(parameter, frames), LITEMRC_FILE(parameter, groups),
	LITEMRC_FILE(parameter, contexts), LITEMRC_FILE(parameter, pages),
	LITEMRC_FILE(parameter, recent_pages),
	LITEMRC_FILE(parameter, queue_depth), LITEMRC_FILE(parameter, ranks),
	LITEMRC_FILE(parameter, page_bitmap),
	LITEMRC_FILE(parameter, hot_pages), LITEMRC_FILE(parameter, banks),
	LITEMRC_FILE(parameter, access_bytes),
	LITEMRC_FILE(parameter, epoch_least),
	LITEMRC_FILE(parameter, record_bytes),
	LITEMRC_FILE(parameter, first_page), NULL
};

static const struct attribute_group litemrc_parameter_group = {
	.name = "parameters",
	.attrs = litemrc_parameters,
};

const struct attribute_group *litemrc_groups[] = {
	&litemrc_file_group, &litemrc_parameter_group, &litemrc_bitmap_group,
	&litemrc_feed_group, &litemrc_hot_group,       NULL
};
