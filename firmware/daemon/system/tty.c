// SPDX-License-Identifier: BSD-2-Clause
#include "system/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <termios.h>

#include "system/log.h"

static const struct {
	uint32_t baud;
	speed_t code;
} speeds[] = {
	{9600, B9600}, {19200, B19200}, {38400, B38400}, {57600, B57600}, {115200, B115200}, {230400, B230400},
	{460800, B460800}, {921600, B921600}, {1000000, B1000000}, {2000000, B2000000},
};

static const speed_t *code_of(uint32_t baud)
{
	for (unsigned int i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].baud == baud)
			return &speeds[i].code;
	return NULL;
}

bool tty_knows_baud(uint32_t baud)
{
	return code_of(baud);
}

int tty_open(const char *path, uint32_t baud)
{
	int tty = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct termios settings;

	if (tty < 0)
		die(EXIT_BAD_INPUT, "name the serial port with --tty", "%s: %s", path, strerror(errno));
	/* Without CONFIG_FILE_LOCKING flock() fails with another errno; the port is used unlocked. */
	if (flock(tty, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		die(EXIT_BAD_INPUT, "end that program, or name another port with --tty",
			"%s: in use by another program", path);
	if (tcgetattr(tty, &settings))
		die(EXIT_BAD_INPUT, "name a serial port with --tty", "%s: %s", path, strerror(errno));
	cfmakeraw(&settings);
	settings.c_cflag |= CLOCAL | CREAD;
	settings.c_cflag &= ~(CSTOPB | HUPCL);
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	cfsetispeed(&settings, *code_of(baud));
	cfsetospeed(&settings, *code_of(baud));
	if (tcsetattr(tty, TCSANOW, &settings))
		die(EXIT_BAD_INPUT, "name a serial port with --tty", "%s: %s", path, strerror(errno));
	return tty;
}
