// SPDX-License-Identifier: BSD-2-Clause
/*
 * Performs one command per line and answers with lines "| text" and finally "= result". Every process of a test
 * is an agent (`spawn ID`): `@ ID command` forwards a command to it and returns its answer, `& ID command` does
 * not wait for the answer, and `? ID` fetches it. As process 1 the agent is the init.
 */
#include "agent.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static FILE *answer;
static char line_typed[4096];

void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("| ", answer);
	vfprintf(answer, format, arguments);
	fputc('\n', answer);
	va_end(arguments);
}

const char *rest_of_line(int count)
{
	const char *text = line_typed;

	while (count--) {
		text += strcspn(text, " ");
		text += *text == ' ';
	}
	return text;
}

static const struct command *const tables[] = {
	file_commands,	file_cache_commands, process_commands, epoch_commands,
	memory_commands, stack_commands,     fuzz_commands,    perf_commands,
	attack_commands, pagemap_commands, NULL
};

static long perform(char *line)
{
	char *words[64];
	int count = 0;

	strcpy(line_typed, line);
	for (char *word = strtok(line, " "); word && count < 64; word = strtok(NULL, " "))
		words[count++] = word;
	if (!count)
		return 0;
	for (const struct command *const *table = tables; *table; table++)
		for (const struct command *command = *table; command->name; command++)
			if (!strcmp(command->name, words[0]))
				return command->perform(count, words);
	return -ENOSYS;
}

int serve(FILE *commands, FILE *answers)
{
	char line[4096];

	answer = answers;
	while (fgets(line, sizeof(line), commands)) {
		long result;

		line[strcspn(line, "\r\n")] = '\0';
		result = perform(line);
		fprintf(answer, "= %ld\n", result);
		fflush(answer);
	}
	return 0;
}

static void on_signal(int number)
{
	(void)number;	/* only to interrupt */
}

static void begin(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
}

int main(int count, char **words)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct termios raw;

	sigaction(SIGUSR1, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (count == 3)	/* an agent that exec'ed itself: its pipes */
		return serve(fdopen(atoi(words[1]), "r"), fdopen(atoi(words[2]), "w"));
	if (getpid() == 1)
		begin();
	if (!tcgetattr(0, &raw)) {
		cfmakeraw(&raw);
		raw.c_oflag |= OPOST | ONLCR;
		tcsetattr(0, TCSANOW, &raw);
	}
	puts("agent ready");
	return serve(stdin, stdout);
}
