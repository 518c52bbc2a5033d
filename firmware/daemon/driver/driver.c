// SPDX-License-Identifier: BSD-2-Clause
#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/contexts.h"
#include "driver/pages.h"
#include "driver/ranks.h"
#include "litemrc_regs.h"
#include "system/log.h"
#include "system/sysfs.h"
#include "system/text.h"

#define LOAD_IT "load the driver (insmod litemrc.ko), or name another monitor with --device or folder with --sysfs"
#define SAME_VERSION "use driver and daemon of the same version"

struct device_parameters parameters;
uint32_t driver_record_bytes;

static uint32_t page_bitmap, first_page;
static char version[17];	/* of the module */
static int settings[SETTINGS];
static struct context_files contexts[256];

/* Link and gateware number engines alike. */
static const char *const engines[] = {LITEMRC_ENGINE_NAMES, [LITEMRC_STACK_ENGINE_OS] = "os"};

static const struct {
	const char *name;
	int access;
} setting_files[SETTINGS] = {
	[SETTING_ENGINE] = {"engine", O_RDWR},
	[SETTING_ENABLE] = {"enable", O_RDWR},
	[SETTING_EPOCH_LENGTH] = {"epoch_length", O_RDWR},
	[SETTING_EPOCH_UNIT] = {"epoch_unit", O_RDWR},
	[SETTING_END_EPOCH] = {"end_epoch", O_WRONLY},
	[SETTING_CLEAR] = {"clear", O_WRONLY},
	[SETTING_ARM] = {"arm", O_WRONLY},
	[SETTING_FREEZE] = {"freeze", O_RDWR},
	[SETTING_SINGLE_SHOT] = {"single_shot", O_RDWR},
	[SETTING_FROZEN] = {"frozen", O_RDONLY},
	[SETTING_RANGE_LOWER] = {"range_lower", O_RDWR},
	[SETTING_RANGE_UPPER] = {"range_upper", O_RDWR},
	[SETTING_SAMPLING] = {"sampling", O_RDWR},
	[SETTING_SCALE] = {"scale", O_RDONLY},
	[SETTING_INVALIDATE] = {"invalidate", O_WRONLY},
	[SETTING_EPOCH] = {"epoch", O_RDONLY},
	[SETTING_SPLIT] = {"split", O_RDWR},
};

/* Each with the range that the link can carry. */
static const struct {
	const char *name;
	uint32_t *value;
	uint32_t least, most;
} parameter_files[] = {
	{"version", &parameters.version, 0, UINT32_MAX},
	{"page_shift", &parameters.page_shift, 0, 31},
	{"frames", &parameters.frames, 1, UINT32_MAX},
	{"groups", &parameters.groups, 1, 256},
	{"contexts", &parameters.contexts, 1, 256},
	{"pages", &parameters.pages, 1, UINT32_MAX},
	{"recent_pages", &parameters.recent_pages, 0, 255},
	{"queue_depth", &parameters.queue_depth, 0, UINT32_MAX},
	{"ranks", &parameters.ranks, 0, 255},
	{"epoch_least", &parameters.epoch_least, 1, UINT32_MAX},
	{"record_bytes", &driver_record_bytes, sizeof(struct litemrc_epoch), 1 << 20},
	{"page_bitmap", &page_bitmap, 0, 1},
	{"hot_pages", &parameters.hot_pages, 0, 1024},
	{"banks", &parameters.banks, 0, 31},
	{"access_bytes", &parameters.access_bytes, 0, 1 << 15},
	{"first_page", &first_page, 0, UINT32_MAX},
};

/* The monitor's folder below the mount point of sysfs, for messages. */
static char monitor_name[128];

int driver_folder(const char *sysfs, const char *device)
{
	const char *slash = strrchr(device, '/');
	int root = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC), monitor;

	if (root < 0)
		die(EXIT_BAD_INPUT, "name the mount point of sysfs with --sysfs", "%s: %s", sysfs, strerror(errno));
	if ((size_t)snprintf(monitor_name, sizeof(monitor_name), "class/misc/%s", slash ? slash + 1 : device) >=
	    sizeof(monitor_name))
		die(EXIT_BAD_INPUT, "name a device such as /dev/litemrc0", "--device %s: the name is too long", device);
	monitor = openat(root, monitor_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (monitor < 0)
		die(EXIT_BAD_INPUT, LOAD_IT, "%s/%s: %s", sysfs, monitor_name, strerror(errno));
	close(root);
	return monitor;
}

static void read_parameters(int monitor)
{
	int folder = openat(monitor, "parameters", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		die(1, LOAD_IT, "%s/parameters: %s", monitor_name, strerror(errno));
	for (unsigned int i = 0; i < sizeof(parameter_files) / sizeof(parameter_files[0]); i++) {
		char text[32];
		uint64_t number;

		if (sysfs_read_at(folder, parameter_files[i].name, text, sizeof(text)) < 0 ||
		    !whole_number(text, parameter_files[i].most, &number) || number < parameter_files[i].least)
			die(1, SAME_VERSION, "%s/parameters/%s: no valid number", monitor_name,
				parameter_files[i].name);
		*parameter_files[i].value = number;
	}
	close(folder);
	parameters.first_page = first_page;
	parameters.features = page_bitmap << LITEMRC_FEATURE_PAGE_BITMAP |
			      (uint32_t)!!parameters.banks << LITEMRC_FEATURE_BANKS;
}

static void read_engine(void)
{
	char text[32];

	if (sysfs_read(settings[SETTING_ENGINE], text, sizeof(text)) < 0)
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	for (unsigned int i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (engines[i] && !strcmp(text, engines[i])) {
			parameters.engine = i;
			return;
		}
	}
	die(1, SAME_VERSION, "%s/engine: '%s' is unknown", monitor_name, text);
}

/* clock-frequency, Devicetree Specification section 3.8: one or two big-endian cells. */
static uint32_t device_tree_clock(int folder)
{
	uint8_t cells[9];
	int length = sysfs_read_at(folder, "firmware/devicetree/base/cpus/cpu@0/clock-frequency", (char *)cells,
				   sizeof(cells));
	uint64_t hz = 0;

	if (length != 4 && length != 8)
		return 0;
	for (int i = 0; i < length; i++)
		hz = hz << 8 | cells[i];
	return hz <= UINT32_MAX ? hz : 0;
}

static void check_abi(int monitor)
{
	char text[32];
	uint64_t abi;
	int got = sysfs_read_at(monitor, "abi", text, sizeof(text));

	if (got < 0)
		die(1, LOAD_IT, "%s/abi: %s", monitor_name, strerror(-got));
	if (!whole_number(text, UINT32_MAX, &abi) || abi != LITEMRC_ABI_VERSION)
		die(1, SAME_VERSION, "%s/abi: not version %d", monitor_name, LITEMRC_ABI_VERSION);
}

static void open_settings(int monitor)
{
	for (int i = 0; i < SETTINGS; i++) {
		settings[i] = openat(monitor, setting_files[i].name, setting_files[i].access | O_CLOEXEC);
		if (settings[i] < 0)
			die(1, "start as root with --user, or as a user with write permission", "%s/%s: %s",
				monitor_name, setting_files[i].name, strerror(errno));
	}
}

static void open_contexts(int monitor)
{
	int all = openat(monitor, "contexts", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (uint32_t i = 0; i < parameters.contexts; i++) {
		int error = all < 0 ? -errno : context_files_open(&contexts[i], all, i);

		if (error)
			die(1, "start as root with --user, or as a user with write permission",
				"%s/contexts/%u: %s", monitor_name, (unsigned int)i, strerror(-error));
	}
	close(all);
}

void driver_open(const char *sysfs, const char *device, uint32_t clock_hz)
{
	int monitor = driver_folder(sysfs, device);
	int folder = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char text[64];
	int got;

	check_abi(monitor);
	read_parameters(monitor);
	open_settings(monitor);
	open_contexts(monitor);
	read_engine();
	ranks_open(monitor);
	pages_open(monitor);
	close(monitor);
	parameters.clock_hz = clock_hz ? clock_hz : device_tree_clock(folder);
	if (!parameters.clock_hz)
		die(EXIT_BAD_INPUT, "name the system clock with --clock-hz",
			"the device tree has no clock-frequency of cpu@0");
	got = sysfs_read_at(folder, "module/litemrc/version", text, sizeof(text));
	if (got > 0)
		copy_name(version, sizeof(version), text, got);
	parameters.driver = version;
	parameters.abi = LITEMRC_ABI_VERSION;
	close(folder);
}

int driver_write_setting(enum setting setting, const char *format, ...)
{
	char text[64];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	return sysfs_write(settings[setting], text);
}

int driver_number(enum setting setting, uint32_t *number)
{
	return sysfs_number(settings[setting], number);
}

int driver_epoch_length(bool *cycles, uint32_t *length)
{
	char text[SYSFS_TEXT];
	int got = sysfs_read(settings[SETTING_EPOCH_UNIT], text, sizeof(text));

	if (got < 0)
		return got;
	text[strcspn(text, "\n")] = 0;
	*cycles = !strcmp(text, "cycles");
	if (!*cycles && strcmp(text, "accesses"))
		return -EPROTO;
	return driver_number(SETTING_EPOCH_LENGTH, length);
}

/* A change of the unit takes the length away, so the length is written even if it is the same. */
int driver_set_epoch_length(bool cycles, uint32_t length)
{
	static const char *const units[] = {"accesses\n", "cycles\n"};
	uint32_t before = 0;
	bool had_cycles = false;
	int error = driver_epoch_length(&had_cycles, &before);

	if (!error && cycles != had_cycles)
		error = driver_write_setting(SETTING_EPOCH_UNIT, "%s", units[cycles]);
	if (error)
		return error;
	error = sysfs_write_number(settings[SETTING_EPOCH_LENGTH], length);
	if (error && cycles != had_cycles) {
		driver_write_setting(SETTING_EPOCH_UNIT, "%s", units[had_cycles]);
		if (before)
			sysfs_write_number(settings[SETTING_EPOCH_LENGTH], before);
	}
	return error;
}

/* The driver keeps them in order: the end that moves away from the other moves first. */
int driver_set_range(uint32_t lower, uint32_t upper)
{
	const int lower_file = settings[SETTING_RANGE_LOWER], upper_file = settings[SETTING_RANGE_UPPER];
	uint32_t had_upper;
	int error = sysfs_number(upper_file, &had_upper);

	if (error)
		return error;
	if (lower > upper)
		return -EINVAL;
	if (lower > had_upper)
		return sysfs_set_numbers((int[]){lower_file, upper_file}, (uint32_t[]){lower, upper}, 2);
	return sysfs_set_numbers((int[]){upper_file, lower_file}, (uint32_t[]){upper, lower}, 2);
}

int driver_followed(uint32_t context, struct litemrc_row *followed)
{
	return context_files_read(&contexts[context], followed);
}

int driver_followed_cgroup(uint32_t context, char *path, size_t size)
{
	return context_files_cgroup(&contexts[context], path, size);
}

int driver_follow(uint32_t context, pid_t pid)
{
	return context_files_follow(&contexts[context], pid);
}

int driver_follow_cgroup(uint32_t context, const char *path)
{
	return context_files_follow_cgroup(&contexts[context], path);
}
