// SPDX-License-Identifier: BSD-2-Clause
#include "system/unix_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "system/say.h"

#define ANOTHER_PATH "name another path with --socket"
#define WAITING 8	/* connections that wait to be accepted */

static int new_socket(void)
{
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (file < 0)
		give_up(1, "use a kernel with CONFIG_UNIX, or leave out --socket", "socket: %s", strerror(errno));
	return file;
}

/* Removes a socket to which nobody listens. */
static void remove_stale(const struct sockaddr_un *address)
{
	struct stat found;
	int probe, error;

	if (lstat(address->sun_path, &found)) {
		if (errno == ENOENT)
			return;
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: %s", address->sun_path, strerror(errno));
	}
	if (!S_ISSOCK(found.st_mode))
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH ", or remove the file",
			"--socket %s: there is a file that is no socket", address->sun_path);
	probe = new_socket();
	error = connect(probe, (const struct sockaddr *)address, sizeof(*address)) ? errno : 0;
	close(probe);
	if (error != ECONNREFUSED)
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH ", or end that program",
			"--socket %s: in use by another program", address->sun_path);
	if (unlink(address->sun_path) && errno != ENOENT)
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: a stale socket cannot be removed: %s",
			address->sun_path, strerror(errno));
}

/* Nobody can connect before the socket has its owner. */
static void set_access(const char *path, const struct socket_access *access)
{
	uid_t user = access->owner ? access->owner->user : (uid_t)-1;
	gid_t group = access->group != NO_GROUP ? access->group : access->owner ? access->owner->group : NO_GROUP;

	if (lchown(path, user, group))
		give_up(EXIT_BAD_INPUT, "name a group of yours with --socket-group, or start as root",
			"--socket %s: cannot set owner and group: %s", path, strerror(errno));
	if (chmod(path, access->mode))
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: cannot set the mode: %s", path, strerror(errno));
}

int unix_socket_open(const char *path, const struct socket_access *access)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	mode_t mask;
	int listener, error;

	if (!*path || strlen(path) >= sizeof(address.sun_path))
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: a path has 1 to %zu bytes", path,
			sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	remove_stale(&address);
	listener = new_socket();
	mask = umask(0777);
	error = bind(listener, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	umask(mask);
	if (error)
		give_up(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: %s", path, strerror(error));
	set_access(path, access);
	if (listen(listener, WAITING))
		give_up(1, ANOTHER_PATH, "--socket %s: %s", path, strerror(errno));
	return listener;
}

int unix_socket_accept(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
