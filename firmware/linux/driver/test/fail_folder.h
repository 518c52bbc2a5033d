/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before files.c of the tests' module. After N has been written to the
 * module's parameter fail_folder, the Nth folder made is missing, a second
 * later: users have found the files before it by then.
 */
#include <linux/delay.h>
#include <linux/kobject.h>
#include <linux/module.h>

static unsigned int fail_folder;
module_param(fail_folder, uint, 0600);

static struct kobject *create_or_fail(const char *name, struct kobject *parent)
{
	if (!fail_folder || --fail_folder)
		return kobject_create_and_add(name, parent);
	msleep(1000);
	return NULL;
}

#define kobject_create_and_add create_or_fail
