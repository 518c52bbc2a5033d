// SPDX-License-Identifier: BSD-2-Clause
/* Which process or cgroup a context follows. */
#include <errno.h>
#include <string.h>

#include "driver/driver.h"
#include "port/port.h"
#include "processes/listed.h"
#include "processes/runs.h"
#include "system/text.h"

#define PID_LIMIT (4u << 20)	/* the kernel's PID_MAX_LIMIT */
#define RUNS_HERE "a program that the host started runs in the context"

int process_get(uint32_t context, struct answer *answer)
{
	struct litemrc_row followed;
	char comm[sizeof(followed.comm) + 1];
	int error = driver_followed(context, &followed);

	if (error)
		return refuse_errno(answer, error);
	ANSWER(answer, followed.state, followed.pid);
	copy_name(comm, sizeof(comm), followed.comm, sizeof(followed.comm));
	answer_text(answer, comm);
	return 0;
}

int process_follow(uint32_t context, uint32_t pid, struct answer *answer)
{
	if (pid > PID_LIMIT)
		return refuse_errno(answer, -ESRCH);
	if (runs_in(context))
		return refuse(answer, LITEMRC_ERROR_BUSY, RUNS_HERE);
	return refuse_errno(answer, driver_follow(context, pid));
}

/* The context that follows the path already, else the first free one, else the first whose process has ended; 0: none. */
static uint32_t context_for(struct device *device, const char *path)
{
	uint32_t free = 0, ended = 0;

	for (uint32_t context = device_owners(device) - 1; context; context--) {
		struct litemrc_row now;
		char followed[300];

		if (!driver_followed_cgroup(context, followed, sizeof(followed)) && !strcmp(followed, path))
			return context;
		if (runs_in(context) || driver_followed(context, &now))
			continue;
		if (now.state == LITEMRC_CONTEXT_FREE)
			free = context;
		else if (now.state == LITEMRC_CONTEXT_ENDED)
			ended = context;
	}
	return free ? free : ended;
}

int process_follow_cgroup(struct device *device, uint32_t context, const char *path, struct answer *answer)
{
	int error;

	if (listed_find(path) < 0)
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT,
			      "the cgroup is not listed: [govern] lines of litemrcd.conf");
	if (!context)
		context = context_for(device, path);
	if (!context)
		return refuse(answer, LITEMRC_ERROR_BUSY, "no context is free");
	if (runs_in(context))
		return refuse(answer, LITEMRC_ERROR_BUSY, RUNS_HERE);
	error = driver_follow_cgroup(context, path);
	if (error == -ENOENT)
		return refuse(answer, LITEMRC_ERROR_BAD_ARGUMENT, "the cgroup is gone: create it and start litemrcd again");
	error = error ? refuse_errno(answer, error) : process_get(context, answer);
	answer->ack.values[2] = context;
	answer->ack.values_count = 3;
	return error;
}
