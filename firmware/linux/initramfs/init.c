// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first program: mounts, swap, modules, the monitor's daemon, a shell on the console.
 *
 * It is written in C because each program that a script starts costs a million cycles on the simulated SoC. A failed step
 * is reported on the console and the others continue, so that there is a shell for diagnosis.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SWAP_BYTES "8M" /* of swapped pages; they occupy their lzo-compressed size in memory */
#define SWAP_DEVICE "/dev/zram0"
#define MONITOR "/dev/litemrc0"
#define DAEMON "/sbin/litemrcd"
#define DAEMON_RETRY_S 1
#define CGROUP "/sys/fs/cgroup"
#define DELEGATED CGROUP "/litemrcd"
#define SERVICE_USER 1000 /* litemrc in /etc/passwd; its programs run as program, 1001 */
#define MPOL_PREFERRED 1  /* linux/mempolicy.h */
#define EXIT_BAD_INPUT 2  /* of the daemon: a restart would fail in the same way */

/* In this order: each needs those before it, the first for its interrupts. */
static const char *const modules[] = {
	"/lib/modules/vexriscv_intc.ko",
	"/lib/modules/litemrc.ko",
	"/lib/modules/litemrc_tail.ko",
	"/lib/modules/litemrc_ranks.ko",
};

static const struct {
	const char *type, *where, *options;
	unsigned long flags;
} mounts[] = {
	{"devtmpfs", "/dev", NULL, MS_NOSUID},
	{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"cgroup2", CGROUP, NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"tmpfs", "/tmp", "mode=1777", MS_NOSUID | MS_NODEV},
	{"devpts", "/dev/pts", "ptmxmode=666", MS_NOSUID | MS_NOEXEC},
};

/* Prints "init: WHAT: error" on the console. */
static void complain(const char *format, ...)
{
	int error = errno;
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "init: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, ": %s\n", strerror(error));
	va_end(arguments);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -1;
	written = write(fd, text, strlen(text));
	close(fd);
	return written < 0 ? -1 : 0;
}

static void mount_all(void)
{
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		if (mkdir(mounts[i].where, 0755) && errno != EEXIST)
			complain("mkdir %s", mounts[i].where);
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type, mounts[i].flags, mounts[i].options))
			complain("mount %s", mounts[i].where);
	}
}

/* Delegates a cgroup subtree to the daemon's user: Documentation/admin-guide/cgroup-v2.rst, "Delegation". */
static void delegate_cgroup(void)
{
	static const char *const handed_over[] = {"", "/cgroup.procs", "/cgroup.threads", "/cgroup.subtree_control"};
	char path[sizeof(DELEGATED) + 32];

	if (write_file(CGROUP "/cgroup.subtree_control", "+memory"))
		complain("memory controller");
	if (mkdir(DELEGATED, 0755) && errno != EEXIST)
		complain("mkdir %s", DELEGATED);
	for (size_t i = 0; i < sizeof(handed_over) / sizeof(*handed_over); i++) {
		snprintf(path, sizeof(path), "%s%s", DELEGATED, handed_over[i]);
		if (chown(path, SERVICE_USER, SERVICE_USER))
			complain("chown %s", path);
	}
}

/* As mkswap: the signature at the end of the first page, version and last page number at byte 1,024. */
static int write_swap_header(int fd, long page_bytes, uint32_t pages)
{
	static const char signature[] = {'S', 'W', 'A', 'P', 'S', 'P', 'A', 'C', 'E', '2'};
	const uint32_t version_and_last_page[2] = {1, pages - 1};
	char *header = calloc(1, page_bytes);
	ssize_t written;

	if (!header)
		return -1;
	memcpy(header + 1024, version_and_last_page, sizeof(version_and_last_page));
	memcpy(header + page_bytes - sizeof(signature), signature, sizeof(signature));
	written = write(fd, header, page_bytes);
	free(header);
	return written == page_bytes ? 0 : -1;
}

static void swap_on_zram(void)
{
	long page_bytes = sysconf(_SC_PAGESIZE);
	off_t bytes;
	int fd;

	if (write_file("/sys/block/zram0/disksize", SWAP_BYTES)) {
		complain("size of %s", SWAP_DEVICE);
		return;
	}
	fd = open(SWAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		complain(SWAP_DEVICE);
		return;
	}
	bytes = lseek(fd, 0, SEEK_END);
	if (bytes < 0 || lseek(fd, 0, SEEK_SET) || write_swap_header(fd, page_bytes, bytes / page_bytes))
		complain("header of %s", SWAP_DEVICE);
	close(fd);
	if (swapon(SWAP_DEVICE, 0))
		complain("swapon %s", SWAP_DEVICE);
}

static void load_modules(void)
{
	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		int fd = open(modules[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			complain("module %s", modules[i]);
		if (fd >= 0)
			close(fd);
	}
}

/* Starts the daemon after a delay; returns its pid, or 0 if the daemon or the monitor is absent. */
static pid_t start_daemon(unsigned int delay_s)
{
	pid_t child;

	if (access(DAEMON, X_OK) || access(MONITOR, F_OK))
		return 0;
	child = fork();
	if (!child) {
		setsid();
		sleep(delay_s);
		do {
			execl(DAEMON, "litemrcd", "--user", "1000:1000", "--program-user", "1001:1001", NULL);
			/* The kernel may not have closed the file that it unpacked: seen on a fast machine. */
		} while (errno == ETXTBSY && !usleep(10000));
		complain(DAEMON);
		_exit(EXIT_BAD_INPUT);
	}
	if (child < 0)
		complain("fork");
	return child;
}

/* Makes the console the shell's controlling terminal, so that ^C ends programs and not the shell. */
static pid_t start_shell(void)
{
	pid_t child = fork();

	if (!child) {
		setsid();
		ioctl(STDIN_FILENO, TIOCSCTTY, 1);
		execl("/bin/sh", "-sh", NULL);
		complain("/bin/sh");
		sleep(1);
		_exit(1);
	}
	if (child < 0)
		complain("fork");
	return child;
}

/* The signals of busybox's poweroff, reboot and halt, which without -f leave the work to init. */
static void shut_down(int signal_number)
{
	sync();
	reboot(signal_number == SIGUSR2 ? RB_POWER_OFF : signal_number == SIGTERM ? RB_AUTOBOOT : RB_HALT_SYSTEM);
}

/*
 * Where each DRAM rank is a NUMA node (docs/ranks-linux.md), programs prefer the ranks from 1 on. Rank 0 is the only one for the
 * kernel's own memory: if programs filled it, the kernel would swap although other ranks are free.
 */
static void prefer_rank_1(void)
{
	unsigned long nodes = 1ul << 1;

	if (!access("/sys/devices/system/node/node1", F_OK) &&
	    syscall(SYS_set_mempolicy, MPOL_PREFERRED, &nodes, 8 * sizeof(nodes)))
		complain("memory policy");
}

static void say_hello(void)
{
	struct utsname system;
	struct timespec now;

	uname(&system);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("LiteMRC: %s %s, init done after %lld.%03ld s\n", system.sysname, system.release, (long long)now.tv_sec,
	       now.tv_nsec / 1000000);
}

int main(void)
{
	pid_t daemon_pid, shell_pid, ended;
	int status;

	setenv("PATH", "/sbin:/bin", 1);
	setenv("HOME", "/", 1);
	umask(022);
	signal(SIGUSR2, shut_down);
	signal(SIGTERM, shut_down);
	signal(SIGUSR1, shut_down);
	mount_all();
	delegate_cgroup();
	swap_on_zram();
	load_modules();
	prefer_rank_1();
	daemon_pid = start_daemon(0);
	say_hello();
	shell_pid = start_shell();
	for (;;) {
		ended = wait(&status);
		if (ended < 0) { /* no child is left, not even the shell */
			pause();
		} else if (ended == shell_pid) {
			shell_pid = start_shell();
		} else if (ended == daemon_pid) {
			fprintf(stderr, "init: litemrcd ended, status 0x%x\n", status);
			if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BAD_INPUT)
				daemon_pid = 0;
			else
				daemon_pid = start_daemon(DAEMON_RETRY_S);
		}
	}
}
