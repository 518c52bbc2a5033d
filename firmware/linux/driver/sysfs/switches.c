// SPDX-License-Identifier: GPL-2.0
/* Attributes that show a register or a bit of it, set a bit, or issue a command. */
#include <linux/device.h>

#include "litemrc.h"

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

const struct attribute_group litemrc_switch_group = {
	.attrs = switch_attributes,
};
