// SPDX-License-Identifier: BSD-2-Clause
#include "system/sources.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "system/log.h"

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR && EPOLLHUP == POLLHUP,
	       "events of epoll are those of poll()");

static int epoll;
static struct pollfd known[SOURCES_MAX];	/* what the kernel waits for */

void sources_open(void)
{
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		die(1, "use a kernel with CONFIG_EPOLL", "epoll_create1: %s", strerror(errno));
	for (unsigned int place = 0; place < SOURCES_MAX; place++)
		known[place].fd = -1;
}

static void forget(unsigned int place)
{
	if (known[place].fd >= 0)
		epoll_ctl(epoll, EPOLL_CTL_DEL, known[place].fd, NULL);
	known[place].fd = -1;
}

void sources_close(int fd)
{
	for (unsigned int place = 0; place < SOURCES_MAX; place++)
		if (known[place].fd == fd)
			forget(place);
	close(fd);
}

/* Tells the kernel what has changed of a source. Returns 0 or -errno. */
static int update(unsigned int place, const struct pollfd *source)
{
	struct epoll_event wanted = {.events = (uint16_t)source->events, .data.u32 = place};
	int order = EPOLL_CTL_MOD;

	if (known[place].fd == source->fd && known[place].events == source->events)
		return 0;
	if (known[place].fd != source->fd) {
		forget(place);
		order = EPOLL_CTL_ADD;
	}
	if (source->fd >= 0 && epoll_ctl(epoll, order, source->fd, &wanted))
		return -errno;
	known[place] = *source;
	return 0;
}

int sources_wait(struct pollfd *sources, unsigned int count, int timeout_ms)
{
	struct epoll_event ready[SOURCES_MAX];
	int error, found;

	for (unsigned int place = 0; place < count; place++) {
		sources[place].revents = 0;
		error = update(place, &sources[place]);
		if (error)
			return error;
	}
	found = epoll_wait(epoll, ready, SOURCES_MAX, timeout_ms);
	if (found < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < found; i++)
		sources[ready[i].data.u32].revents = ready[i].events;
	return 0;
}
