// SPDX-License-Identifier: BSD-2-Clause
/*
 * The init of a guest in which the daemon serves on the first serial port, with the driver and a monitor in software
 * (firmware/linux/driver/test); and the programs that the daemon starts. With `tracker=PARAMETERS` on the kernel's
 * command line the monitor is the tracker without hardware instead; with `fake=PARAMETERS` it has these parts.
 *
 *	guest access N	N accesses by the program itself
 *	guest family N	N accesses by a child
 *	guest memory N	touches N times 256 KiB, repeatedly
 *	guest idle N	touches N times 256 KiB, once
 *	guest loop N	touches 300 pages in order, N times, and ends
 *	guest exit N	ends with status N
 *	guest clients	makes init run clients, see run_clients()
 *	guest attack	ends with the sum of the ATTACK_... that succeeded
 *	guest pages N	sets the loop of the worker in /app to N pages; 1: as in be_worker()
 *	guest touch N	N epochs of pages, see touch_pages()
 *	guest queue N	frames 1 to N reach the threshold of hot pages
 *	guest worker G	waits in the cgroups /app and /batch from the start on, see be_worker()
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAKE "/sys/devices/platform/litemrc.0/fake/"
#define FAKE_HOT "/sys/devices/platform/litemrc.0/fake_hot/"
#define DAEMON "/litemrcd"
#define SOCKET "/tmp/litemrcd.sock"
#define TRIGGER "/tmp/clients"
#define PAGES "/tmp/pages"
#define CGROUPS "/sys/fs/cgroup/"
#define GROUP_PAGES 256	/* pages of a group of the monitor */
#define AHEAD 64	/* pages that Linux charges before they are used */
#define LOOP_MOST 4096
#define LOOP_PAGES 300
#define PAGE 4096
#define EPOCH "1000"

enum { ATTACK_BUDGET = 1, ATTACK_GROUP = 2, ATTACK_SIGNAL = 4, ATTACK_PTRACE = 8, ATTACK_MEMORY = 16, ATTACK_USER = 32,
       ATTACK_SOCKET = 64 };

static void fail(const char *what)
{
	perror(what);
	sync();
	for (;;)
		pause();
}

static void write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		fail(path);
	close(file);
}

static void load(const char *path, const char *parameters)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0 || syscall(SYS_finit_module, file, parameters, 0))
		fail(path);
	close(file);
}

/* Swap on zram, with the header that mkswap writes: version 1, and the last page. */
static void swap_on(uint32_t pages)
{
	static uint32_t header[PAGE / 4];
	char bytes[16];
	int device;

	snprintf(bytes, sizeof(bytes), "%u\n", (unsigned int)pages * PAGE);
	write_text("/sys/block/zram0/disksize", bytes);
	header[1024 / 4] = 1;
	header[1024 / 4 + 1] = pages - 1;
	memcpy((char *)header + PAGE - 10, "SWAPSPACE2", 10);
	device = open("/dev/zram0", O_WRONLY | O_CLOEXEC);
	if (device < 0 || write(device, header, PAGE) != PAGE || close(device) || swapon("/dev/zram0", 0))
		fail("zram0");
}

static pid_t start(char *const *arguments)
{
	pid_t pid = fork();

	if (!pid) {
		int log = open("/log", O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(log, 1);
		dup2(log, 2);
		execv(arguments[0], arguments);
		_exit(127);
	}
	return pid;
}

static int run(char *const *arguments)
{
	pid_t pid = start(arguments);
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Three clients as root; the last one reports the status of the second by its number of accesses. */
static void run_clients(void)
{
	char accesses[16];

	run((char *[]){DAEMON, "run", "--context", "3", "--", "/guest", "access", "321", NULL});
	snprintf(accesses, sizeof(accesses), "%d",
		 1000 + run((char *[]){DAEMON, "run", "--", "/guest", "exit", "7", NULL}));
	run((char *[]){DAEMON, "run", "--context", "3", "--", "/guest", "access", accesses, NULL});
}

/* A cgroup with limits of its administrator. */
static void make_group(const char *name, const char *high, const char *low)
{
	char path[64];

	snprintf(path, sizeof(path), CGROUPS "%s", name);
	if (mkdir(path, 0755))
		fail(path);
	snprintf(path, sizeof(path), CGROUPS "%s/memory.high", name);
	write_text(path, high);
	snprintf(path, sizeof(path), CGROUPS "%s/memory.low", name);
	write_text(path, low);
}

static void start_worker(char *group)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), CGROUPS "%s/cgroup.procs", group);
	snprintf(text, sizeof(text), "%d", (int)start((char *[]){"/guest", "worker", group, NULL}));
	write_text(path, text);
}

static void start_workers(void)
{
	write_text(CGROUPS "cgroup.subtree_control", "+memory");
	make_group("app", "12288000", "40960");
	make_group("batch", "max", "0");
	make_group("other", "max", "0");
	start_worker("app");
	start_worker("batch");
}

static void be_init(void)
{
	char *fake = getenv("fake");
	char *config = getenv("tracker") ? "/tracker.conf" : fake ? "/pages.conf" : "/litemrcd.conf";
	char *const daemon[] = {DAEMON, "--tty", "/dev/ttyS0", "--clock-hz", "50000000", "--config", config,
				"--user", "1000:1000", "--program-user", "1001:1001", "--socket", SOCKET, NULL};
	pid_t pid;

	mkdir("/tmp", 01777);
	if (mount("proc", "/proc", "proc", 0, "") || mount("sysfs", "/sys", "sysfs", 0, "") ||
	    mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, "") || mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777"))
		fail("mount");
	mount("devtmpfs", "/dev", "devtmpfs", 0, "");	/* the kernel may have done it */
	swap_on(4096);
	load("/litemrc.ko", "");
	load("/litemrc_tail.ko", "");
	load("/litemrc_ranks.ko", "");
	if (getenv("tracker")) {
		load("/litemrc_os.ko", getenv("tracker"));
	} else {
		load("/litemrc_fake.ko", fake ? fake : "ranks=4");
		if (chmod(FAKE "access", 0666) || chmod(FAKE "touch", 0666) || chmod(FAKE "dirty", 0666) ||
		    chmod(FAKE_HOT "hot_page", 0666) || chmod(FAKE_HOT "hot_queue", 0666))
			fail(FAKE);
		write_text(FAKE "hit", "0 0");	/* from now on hits and misses are real counts */
	}
	start_workers();
	pid = start(daemon);
	for (;;) {
		char byte;
		int log;

		usleep(50000);
		if (!access(TRIGGER, F_OK)) {
			unlink(TRIGGER);
			run_clients();
		}
		if (waitpid(pid, NULL, WNOHANG) != pid)
			continue;
		log = open("/log", O_RDONLY);
		while (read(log, &byte, 1) == 1)
			putchar(byte);
		fflush(stdout);
		pid = -1;
	}
}

static int read_number(const char *path)
{
	char text[16] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return 0;
	if (read(file, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(file);
	return atoi(text);
}

static long faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* Orders misses and hits from the monitor. */
static void order(long misses, int group, long hits)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", misses);
	write_text(FAKE "access", text);
	snprintf(text, sizeof(text), "%d %ld", group, hits);
	write_text(FAKE "hit", text);
}

/*
 * Loops over pages: in /app over 200 until a budget of at most one page group has been in force there for a second, and
 * over 1,000 from then on; in /batch the other way round. If PAGES has a number above 1, the worker of /app loops over so
 * many pages, and that of /batch waits; without it both wait. As the monitor in software sees no memory, the worker orders
 * what gateware would count: a miss for each page fault, a hit with the loop's LRU position for each other page.
 */
static _Noreturn void be_worker(int batch)
{
	volatile char *memory = mmap(NULL, LOOP_MOST * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int tight = 0;

	for (;; usleep(50000)) {
		int high = read_number(CGROUPS "app/memory.high"), wanted = read_number(PAGES);
		int pages = wanted > 1 ? wanted : (tight >= 20) != batch ? 1000 : 200;
		long faults = faults_so_far();

		tight = wanted > 1 ? 0 : tight + (high && high <= (GROUP_PAGES + AHEAD) * PAGE);
		if (!wanted || (wanted > 1 && batch))
			continue;
		for (int page = 0; page < pages; page++)
			memory[(size_t)page * PAGE]++;
		faults = faults_so_far() - faults;
		if (faults > pages)
			faults = pages;	/* those of the program's code */
		order(faults, (pages - 1) / GROUP_PAGES, pages - faults);
	}
}

static void touch_memory(int quarters, int again)
{
	size_t size = (size_t)quarters << 18;
	volatile char *memory = malloc(size);

	do {
		for (size_t at = 0; at < size; at += PAGE)
			memory[at] = (char)at;
		usleep(100000);
	} while (again);
	for (;;)
		pause();
}

static int loop_over_pages(int rounds)
{
	volatile char *memory = mmap(NULL, LOOP_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int touch = 0; touch < rounds * LOOP_PAGES; touch++)
		memory[(size_t)(touch % LOOP_PAGES) * PAGE]++;
	return 0;
}

static void order_frames(const char *path, int first, int last)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d", first, last);
	write_text(path, text);
}

/*
 * In epoch e = 1, 2, ... frames f = 100 e to f + e are read, frame f + 1000 is written, and frame f is hot with 3 accesses.
 * The epoch then ends by EPOCH accesses.
 */
static int touch_pages(int epochs)
{
	for (int epoch = 1; epoch <= epochs; epoch++) {
		int first = 100 * epoch;

		order_frames(FAKE "touch", first, first + epoch);
		order_frames(FAKE "dirty", first + 1000, first + 1000);
		order_frames(FAKE_HOT "hot_page", first, 3);
		write_text(FAKE "access", EPOCH);
		usleep(100000);	/* far longer than the driver takes for an epoch */
	}
	return 0;
}

/* The cgroup of this process: /sys/fs/cgroup and the last field of 0::/PATH. */
static int attack_group(void)
{
	char line[256] = "", path[320];
	FILE *file = fopen("/proc/self/cgroup", "r");
	int done = 0, high;

	if (!file || !fgets(line, sizeof(line), file))
		fail("cgroup");
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.high", line + strlen("0::"));
	high = open(path, O_WRONLY);
	if (high >= 0 && write(high, "max", 3) == 3)
		done |= ATTACK_BUDGET;
	close(high);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/mine", line + strlen("0::"));
	if (!mkdir(path, 0755) && !rmdir(path))
		done |= ATTACK_GROUP;
	return done;
}

static int attack_process(int pid)
{
	char path[32];
	int done = 0, memory;

	if (!kill(pid, SIGCONT))
		done |= ATTACK_SIGNAL;
	if (!ptrace(PTRACE_ATTACH, pid, NULL, NULL))
		done |= ATTACK_PTRACE;
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	memory = open(path, O_RDWR);
	if (memory >= 0)
		done |= ATTACK_MEMORY;
	close(memory);
	return done;
}

/* The socket is there, for the daemon's user and group. */
static int is_kept_from_socket(void)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	return file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof(address)) && errno == EACCES;
}

/* All processes named litemrcd: the daemon, and the one that starts programs. */
static int attack(void)
{
	int done = attack_group(), found = 0;
	DIR *all = opendir("/proc");
	struct dirent *entry;

	while ((entry = readdir(all))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strcmp(name, "litemrcd\n")) {
			done |= attack_process(atoi(entry->d_name));
			found++;
		}
		fclose(file);
	}
	closedir(all);
	if (!setresuid(-1, 1000, -1) || !setresuid(-1, 0, -1))
		done |= ATTACK_USER;
	if (!is_kept_from_socket())
		done |= ATTACK_SOCKET;
	return found < 2 ? 128 : done;
}

int main(int argc, char **argv)
{
	const char *number = argc > 2 ? argv[2] : "0";

	if (getpid() == 1)
		be_init();
	if (!strcmp(argv[1], "access"))
		write_text(FAKE "access", number);
	if (!strcmp(argv[1], "family")) {
		if (!fork()) {
			write_text(FAKE "access", number);
			return 0;
		}
		wait(NULL);
	}
	if (!strcmp(argv[1], "memory"))
		touch_memory(atoi(number), 1);
	if (!strcmp(argv[1], "worker"))
		be_worker(!strcmp(number, "batch"));
	if (!strcmp(argv[1], "pages")) {
		int file = open(PAGES, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		return write(file, number, strlen(number)) < 0;
	}
	if (!strcmp(argv[1], "idle"))
		touch_memory(atoi(number), 0);
	if (!strcmp(argv[1], "loop"))
		return loop_over_pages(atoi(number));
	if (!strcmp(argv[1], "touch"))
		return touch_pages(atoi(number));
	if (!strcmp(argv[1], "queue"))
		order_frames(FAKE_HOT "hot_queue", 1, atoi(number));
	if (!strcmp(argv[1], "attack"))
		return attack();
	if (!strcmp(argv[1], "clients"))
		close(open(TRIGGER, O_WRONLY | O_CREAT, 0600));
	return !strcmp(argv[1], "exit") ? atoi(number) : 0;
}
