// SPDX-License-Identifier: BSD-2-Clause
#include "system/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "system/log.h"

#define ANOTHER_PATH "name another path with --socket"
#define CANNOT_CHOWN "cannot set owner and group"
#define MADE "socket"		/* its name before it is at its path */
#define WAITING 8	/* connections that wait to be accepted */

static int new_socket(void)
{
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (file < 0)
		die(1, "use a kernel with CONFIG_UNIX, or leave out --socket", "socket: %s", strerror(errno));
	return file;
}

/* Removes a socket to which nobody listens. */
static void remove_stale(int folder, const char *name, const struct sockaddr_un *address)
{
	struct stat found;
	int probe, error;

	if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW)) {
		if (errno == ENOENT)
			return;
		die(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: %s", address->sun_path, strerror(errno));
	}
	if (!S_ISSOCK(found.st_mode))
		die(EXIT_BAD_INPUT, ANOTHER_PATH ", or remove the file",
			"--socket %s: there is a file that is no socket", address->sun_path);
	probe = new_socket();
	error = connect(probe, (const struct sockaddr *)address, sizeof(*address)) ? errno : 0;
	close(probe);
	if (error != ECONNREFUSED)
		die(EXIT_BAD_INPUT, ANOTHER_PATH ", or end that program",
			"--socket %s: in use by another program", address->sun_path);
	if (unlinkat(folder, name, 0) && errno != ENOENT)
		die(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: a stale socket cannot be removed: %s",
			address->sun_path, strerror(errno));
}

/* A folder inside `folder` that only this user can change, whatever the owner of `folder` does. Returns it, or -1. */
static int private_folder(int folder, const char *name)
{
	struct stat made;
	int private;

	if (mkdirat(folder, name, 0700))
		return -1;
	private = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (private >= 0 && (fstat(private, &made) || made.st_uid != geteuid() || made.st_mode & 077)) {
		close(private);
		errno = EPERM;
		private = -1;
	}
	return private;
}

/* A path of bind() is relative to the working directory: there is no bindat(). */
static int bind_in(int folder, int listener)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = MADE};
	int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = before < 0 || fchdir(folder) || bind(listener, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;

	if (before >= 0 && fchdir(before) && !error)
		error = errno;
	close(before);
	return -error;
}

/* Returns the step that failed, with errno, or NULL. */
static const char *publish(int folder, int private, const char *name, const struct socket_access *access, int listener)
{
	uid_t user = access->owner ? access->owner->user : (uid_t)-1;
	gid_t group = access->group != NO_GROUP ? access->group : access->owner ? access->owner->group : NO_GROUP;

	if ((errno = -bind_in(private, listener)))
		return "cannot make a socket there";
	if (fchownat(private, MADE, user, group, AT_SYMLINK_NOFOLLOW))
		return CANNOT_CHOWN;
	if (fchmodat(private, MADE, access->mode, 0))
		return "cannot set the mode";
	if (listen(listener, WAITING))
		return "cannot listen";
	return linkat(private, MADE, folder, name, 0) ? "cannot put the socket there" : NULL;
}

/* Opens the folder of `path`, and points `name` at the last part. */
static int folder_of(const char *path, const char **name)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)] = ".";
	const char *slash = strrchr(path, '/');
	int opened;

	*name = slash ? slash + 1 : path;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0)
		die(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: %s", path, strerror(errno));
	return opened;
}

/*
 * The folder may belong to somebody else, who can swap what `path` names at any time. So nothing is changed by that path: the
 * socket gets owner and mode inside a folder of this user, and then a link at `path`.
 */
int unix_socket_open(const char *path, const struct socket_access *access)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *name, *failed = "cannot make a folder there";
	int listener, folder, private, error;
	char temporary[32];

	if (!*path || strlen(path) >= sizeof(address.sun_path))
		die(EXIT_BAD_INPUT, ANOTHER_PATH, "--socket %s: a path has 1 to %zu bytes", path,
			sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	folder = folder_of(path, &name);
	remove_stale(folder, name, &address);
	listener = new_socket();
	snprintf(temporary, sizeof(temporary), ".litemrcd-%d", (int)getpid());
	private = private_folder(folder, temporary);
	if (private >= 0)
		failed = publish(folder, private, name, access, listener);
	error = errno;
	if (private >= 0) {
		unlinkat(private, MADE, 0);
		close(private);
		unlinkat(folder, temporary, AT_REMOVEDIR);
	}
	close(folder);
	if (failed)
		die(EXIT_BAD_INPUT, !strcmp(failed, CANNOT_CHOWN) ?
			"name a group of yours with --socket-group, or start as root" : ANOTHER_PATH,
			"--socket %s: %s: %s", path, failed, strerror(error));
	return listener;
}

int unix_socket_accept(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
