// SPDX-License-Identifier: BSD-2-Clause
/* Files and modules. */
#include "agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* w PATH TEXT: one write() of the text and a newline. W: of the text alone. */
static long write_text(int count, char **words)
{
	char text[4096];
	long ret = 0;
	size_t bytes = snprintf(text, sizeof(text), "%s\n", count > 2 ? rest_of_line(2) : "");
	int fd = open(words[1], O_WRONLY);

	if (fd < 0)
		return -errno;
	if (words[0][0] == 'W')
		bytes--;
	if (write(fd, text, bytes) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* r PATH */
static long read_text(int count, char **words)
{
	static char text[65536];
	size_t filled = 0;
	ssize_t got;
	int fd = open(words[1], O_RDONLY);

	(void)count;
	if (fd < 0)
		return -errno;
	while ((got = read(fd, text + filled, sizeof(text) - 1 - filled)) > 0)
		filled += got;
	if (got < 0)
		got = -errno;
	close(fd);
	text[filled] = '\0';
	for (char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		say("%.*s", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return got;
}

/* hex PATH: the file's bytes, 32 a line */
static long read_hex(int count, char **words)
{
	unsigned char bytes[32];
	char text[2 * sizeof(bytes) + 1];
	ssize_t got;
	int fd = open(words[1], O_RDONLY);

	(void)count;
	if (fd < 0)
		return -errno;
	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			sprintf(text + 2 * i, "%02x", bytes[i]);
		say("%s", text);
	}
	if (got < 0)
		got = -errno;
	close(fd);
	return got;
}

/* ls PATH: names and octal modes */
static long list(int count, char **words)
{
	DIR *folder = opendir(words[1]);
	struct dirent *entry;
	struct stat status;
	char path[4096];

	(void)count;
	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%s/%s", words[1], entry->d_name);
		if (entry->d_name[0] != '.' && !lstat(path, &status))
			say("%s %o", entry->d_name, (unsigned int)status.st_mode);
	}
	closedir(folder);
	return 0;
}

/* mkdir PATH, rmdir PATH */
static long make_folder(int count, char **words)
{
	(void)count;
	return mkdir(words[1], 0755) ? -errno : 0;
}

static long remove_folder(int count, char **words)
{
	(void)count;
	return rmdir(words[1]) ? -errno : 0;
}

/* insmod PATH PARAMETERS, rmmod NAME */
static long insert_module(int count, char **words)
{
	int fd = open(words[1], O_RDONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, count > 2 ? rest_of_line(2) : "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

static long remove_module(int count, char **words)
{
	(void)count;
	return syscall(SYS_delete_module, words[1], O_NONBLOCK) ? -errno : 0;
}

/* dmesg: since the last dmesg */
static long kernel_messages(int count, char **words)
{
	static char text[1 << 18];
	int bytes = klogctl(4, text, sizeof(text) - 1);

	(void)count;
	(void)words;
	if (bytes < 0)
		return -errno;
	text[bytes] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		say("%s", line);
	return 0;
}

/* poweroff */
static long power_off(int count, char **words)
{
	(void)count;
	(void)words;
	sync();
	return reboot(RB_POWER_OFF) ? -errno : 0;
}

const struct command file_commands[] = {
	{ "w", write_text },	      { "W", write_text },	  { "r", read_text },
	{ "hex", read_hex },	      { "ls", list },		  { "mkdir", make_folder },	  { "rmdir", remove_folder },
	{ "insmod", insert_module },  { "rmmod", remove_module }, { "dmesg", kernel_messages },
	{ "poweroff", power_off },    { NULL, NULL },
};
