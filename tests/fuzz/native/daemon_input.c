// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: all that litemrcd reads. Its sources are linked, with files of sysfs from the input and no starting of programs.
 *
 * An input is a sequence of steps: a byte that names the step, one or two bytes of a length, and as many bytes:
 *   b, B  bytes that arrive at the serial port, at a client's port
 *   r, R  a request at either, which gets its CRC and its frame here
 *   e     what the driver's device returns: any bytes
 *   E     a record: header and table are right but for the bytes given first (offset, value, and so on until an offset above
 *         their end), its body is the rest, repeated
 *   s     what the next read of a file of sysfs returns (several may wait)
 *   x     the next write to a file of sysfs fails with this errno
 *   j     a client joins or leaves
 *   l     the hosts read what was sent to them
 * die() ends the step: the daemon would exit.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

#include "../../../firmware/daemon/daemon.c"

#define CONTEXTS 4u
#define GROUPS 8u
#define TAIL 16u
#define RANKS 2u
#define BANKS 8u
#define ROW_WORDS (GROUPS + LITEMRC_ROW_WORDS + TAIL)
#define ROW_BYTES (sizeof(struct litemrc_row) + 4 * ROW_WORDS)
#define HEAD_BYTES (sizeof(struct litemrc_epoch) + 3 * sizeof(struct litemrc_part))
#define RECORD_BYTES (HEAD_BYTES + CONTEXTS * ROW_BYTES + RANKS * sizeof(struct litemrc_rank) + \
		      BANKS * sizeof(struct litemrc_bank))
#define CLIENT (SERIAL + 1)
#define TEXTS 16

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __wrap_die(int status, const char *remedy, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
void __wrap_log_info(const char *format, ...);
int __real_open(const char *path, int flags, ...);

static struct { const uint8_t *data; size_t size; } texts[TEXTS];
static unsigned int first_text, text_count, write_error;
static jmp_buf step;
static bool may_jump;
static int serial[2], client[2], device[2];	/* ours, the daemon's; device: the daemon's, ours */
static uint32_t epochs;

/* ------------------------------------------------------------------------------------- instead of the kernel */

void __wrap_die(int status, const char *remedy, const char *format, ...)
{
	(void)status; (void)remedy; (void)format;
	if (!may_jump)
		abort();
	longjmp(step, 1);
}

void __wrap_log_info(const char *format, ...)
{
	char text[512];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
}

int __wrap_open(const char *path, int flags, ...)
{
	(void)path; (void)flags;
	return __real_open("/dev/null", O_RDWR | O_CLOEXEC);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
	(void)folder; (void)path; (void)flags;
	return __real_open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* What the files have at the start. Later texts come from the input, and then there is none. */
static const struct { const char *name, *text; } texts_at_start[] = {
	{"version", "4\n"}, {"page_shift", "12\n"}, {"frames", "8192\n"}, {"groups", "8\n"}, {"contexts", "4\n"},
	{"pages", "8192\n"}, {"recent_pages", "4\n"}, {"queue_depth", "512\n"}, {"ranks", "2\n"}, {"epoch_least", "44\n"},
	{"page_bitmap", "1\n"}, {"hot_pages", "128\n"}, {"banks", "8\n"}, {"access_bytes", "16\n"},
	{"first_page", "262144\n"}, {"dram/ranks", "2\n"}, {"dram/virtual", "0\n"}, {"dram/states", "29\n"},
	{"dram/chips", "1\n"}, {"dram/phases", "4\n"}, {"dram/part", "X\n"}, {"module/litemrc/version", "1.2.3\n"},
};

static const char *opened;	/* the file that is opened for one read; NULL: one that is open for long */

static const char *text_at_start(void)
{
	static char number[16];

	if (!opened)
		return "bucket_stack\n";
	for (size_t i = 0; i < sizeof(texts_at_start) / sizeof(texts_at_start[0]); i++)
		if (!strcmp(opened, texts_at_start[i].name))
			return texts_at_start[i].text;
	snprintf(number, sizeof(number), "%zu\n", strcmp(opened, "abi") ? RECORD_BYTES : (size_t)LITEMRC_ABI_VERSION);
	return number;
}

static int sysfs_openat(int folder, const char *name, int flags)
{
	(void)folder; (void)flags;
	opened = name;
	return 0;
}

static int sysfs_close(int file)
{
	opened = NULL;
	return file;
}

static ssize_t sysfs_pread(int file, char *text, size_t size, off_t at)
{
	const char *given = may_jump ? NULL : text_at_start();
	const void *from = given;
	size_t length = given ? strlen(given) : 0;

	(void)file; (void)at;
	if (!given && !text_count) {
		errno = ENODATA;
		return -1;
	}
	if (!given) {
		from = texts[first_text].data;
		length = texts[first_text].size;
		text_count--;
		first_text++;
	}
	length = length < size ? length : size;
	memcpy(text, from, length);
	return length;
}

static ssize_t sysfs_pwrite(int file, const char *text, size_t length, off_t at)
{
	(void)file; (void)text; (void)at;
	if (!length)
		abort();
	errno = write_error;
	write_error = 0;
	return errno ? -1 : (ssize_t)length;
}

#define openat sysfs_openat
#define close sysfs_close
#define pread sysfs_pread
#define pwrite sysfs_pwrite
#include "../../../firmware/daemon/system/sysfs.c"
#undef openat
#undef close
#undef pread
#undef pwrite

ssize_t __wrap_pread(int file, void *data, size_t length, off_t at);
ssize_t __wrap_pread(int file, void *data, size_t length, off_t at)	/* images */
{
	size_t have = text_count ? texts[first_text].size : 0;

	(void)file;
	if (!have) {
		errno = ENODATA;
		return -1;
	}
	for (size_t i = 0; i < length; i++)
		((uint8_t *)data)[i] = texts[first_text].data[(at + i) % have];
	text_count--;
	first_text++;
	return length;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time; (void)left;
	return 0;
}

/* ------------------------------------------------------------------------------- instead of starting programs */

void starter_begin(const struct identity *daemon, const struct identity *programs)
{
	(void)daemon; (void)programs;
}

pid_t starter_hold(uint32_t program, uint32_t scale)
{
	if (program >= program_count)
		abort();
	return scale % 2 ? 1000000 + (pid_t)program : -EAGAIN;
}

void starter_release(void) {}
void starter_cancel(void) {}
void starter_signal(pid_t program, int signal) { (void)program; (void)signal; }

/* -------------------------------------------------------------------------------------------------- the steps */

static void drain(int port)
{
	uint8_t bytes[4096];

	while (read(port, bytes, sizeof(bytes)) > 0)
		;
}

static void go_on(void)
{
	pages_progress();
	session_progress(SERIAL);
	runs_progress();
	lease_progress(&linux_device);
	if (host_flush(SERIAL))
		abort();
	if (!hosts_has(CLIENT))
		return;
	session_progress(CLIENT);
	if (host_flush(CLIENT))
		abort();
}

/* Until the daemon takes no more: its outbox may be full. */
static void arrive(int port, unsigned int host, const uint8_t *bytes, size_t size)
{
	if (host == CLIENT && !hosts_has(CLIENT))
		return;
	if (size && write(port, bytes, size) < 0)
		return;
	for (size_t i = 0; i <= size / 256 && session_can_read(host); i++) {
		session_read(host);
		go_on();
	}
}

static void request(int port, unsigned int host, const uint8_t *payload, size_t size)
{
	static uint8_t framed[1024];
	struct litemrc_writer writer = {.ring = framed, .mask = sizeof(framed) - 1, .begun = 1, .end = 1};

	if (size > 512)
		return;
	litemrc_frame_begin(&writer);
	litemrc_frame_put(&writer, payload, size);
	litemrc_frame_end(&writer);
	arrive(port, host, framed, writer.end);
}

static void record_step(const uint8_t *bytes, size_t size, bool built)
{
	struct pollfd source = {.fd = device[0], .revents = POLLIN};
	static _Alignas(8) uint8_t record[RECORD_BYTES];
	struct litemrc_epoch *head = (struct litemrc_epoch *)record;
	struct litemrc_part *parts = (struct litemrc_part *)(head + 1);
	size_t at = 0;

	if (built) {
		*head = (struct litemrc_epoch){
			.bytes = RECORD_BYTES, .header_bytes = sizeof(*head), .parts = 3, .groups = GROUPS,
			.tail_groups = TAIL, .epoch = epochs++,
		};
		parts[0] = (struct litemrc_part){LITEMRC_PART_ROWS, ROW_BYTES, CONTEXTS};
		parts[1] = (struct litemrc_part){LITEMRC_PART_RANKS, sizeof(struct litemrc_rank), RANKS};
		parts[2] = (struct litemrc_part){LITEMRC_PART_BANKS, sizeof(struct litemrc_bank), BANKS};
		for (; at + 1 < size && bytes[at] < HEAD_BYTES; at += 2)
			record[bytes[at]] = bytes[at + 1];
		for (size_t i = HEAD_BYTES; i < RECORD_BYTES; i++)
			record[i] = at < size ? bytes[at + (i % (size - at))] : 0;
		for (uint32_t i = 0; i < CONTEXTS; i++)	/* else hardly any has contexts that there are */
			record[HEAD_BYTES + i * ROW_BYTES] &= 7;
		bytes = record;
		size = RECORD_BYTES;
	}
	if (!size || write(device[1], bytes, size) < 0)
		return;
	if (take_records(&source))
		abort();
	go_on();
}

static void perform_step(int kind, const uint8_t *bytes, size_t size)
{
	switch (kind) {
	case 'b': arrive(serial[0], SERIAL, bytes, size); break;
	case 'B': arrive(client[0], CLIENT, bytes, size); break;
	case 'r': request(serial[0], SERIAL, bytes, size); break;
	case 'R': request(client[0], CLIENT, bytes, size); break;
	case 'e': record_step(bytes, size, false); break;
	case 'E': record_step(bytes, size, true); break;
	case 's':
		if (text_count < TEXTS && first_text + text_count < TEXTS)
			texts[first_text + text_count++] = (typeof(texts[0])){bytes, size};
		break;
	case 'x': write_error = size ? bytes[0] : 0; break;
	case 'j':
		if (hosts_has(CLIENT)) {
			hosts_leave(CLIENT);
			drain(client[1]);
		} else {
			hosts_join(CLIENT, client[1]);
			session_open(CLIENT, client[1]);
		}
		break;
	default:
		drain(serial[0]);
		drain(client[0]);
		go_on();
	}
}

static void try_step(int kind, const uint8_t *bytes, size_t size)
{
	if (!setjmp(step))
		perform_step(kind, bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 0;

	/* From one input to the next only settings and the table of followers stay. */
	first_text = text_count = write_error = epochs = 0;
	session_open(SERIAL, serial[1]);
	if (hosts_has(CLIENT))
		perform_step('j', NULL, 0);
	while (at + 1 < size) {
		int kind = data[at];
		bool wide = kind == 'e' || kind == 's';
		size_t length = data[at + 1] | (wide && at + 2 < size ? data[at + 2] << 8 : 0);

		at += 2 + wide;
		if (at > size)
			break;
		length = length < size - at ? length : size - at;
		if (!text_count)
			first_text = 0;
		try_step(kind, data + at, length);
		at += length;
	}
	text_count = 0;	/* they are the input's */
	drain(serial[0]);
	drain(serial[1]);
	drain(client[0]);
	drain(client[1]);
	host_flush(SERIAL);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc; (void)argv;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, serial) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, client) || pipe2(device, O_DIRECT | O_NONBLOCK))
		abort();
	driver_open("/sys", "/dev/litemrc0", 50000000);
	close(record_open("/dev/litemrc0"));
	for (program_count = 0; program_count < 2; program_count++) {
		snprintf(programs[program_count].name, sizeof(programs[0].name), "p%u", (unsigned int)program_count);
		programs[program_count].children = program_count;
	}
	if (listed_add("/a/b"))
		abort();
	groups_open("/cgroup");
	hosts_init(serial[1], epochs_most(), true);
	pages_init();
	sessions_init(serial[1]);
	may_jump = true;
	return 0;
}
