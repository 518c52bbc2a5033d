// SPDX-License-Identifier: BSD-2-Clause
#include "processes/listed.h"

#include <string.h>

uint32_t listed_count;

static char paths[LISTED_MAX][LISTED_LONGEST + 1];

const char *listed_path(uint32_t number)
{
	return paths[number];
}

/* Returns an error text, or NULL. A path is compared as text, so each cgroup must have one only. */
static const char *check(const char *path)
{
	size_t length = strlen(path);

	if (path[0] != '/' || length < 2)
		return "a cgroup is a path that begins with /, from the root of cgroup v2, and not the root itself";
	if (length > LISTED_LONGEST)
		return "the path of the cgroup is longer than 120 characters";
	if (path[length - 1] == '/' || strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../") ||
	    !strcmp(strrchr(path, '/'), "/.") || !strcmp(strrchr(path, '/'), "/.."))
		return "the path of a cgroup has no parts that are empty, . or ..";
	for (const char *at = path; *at; at++)
		if (*at <= ' ' || *at > '~')
			return "the path of a cgroup consists of printable ASCII characters without blanks";
	return listed_find(path) < 0 ? NULL : "a line above lists this cgroup";
}

const char *listed_add(const char *path)
{
	const char *wrong = check(path);

	if (wrong)
		return wrong;
	if (listed_count == LISTED_MAX)
		return "there are more than 16 cgroups";
	strcpy(paths[listed_count++], path);
	return NULL;
}

int listed_find(const char *path)
{
	for (uint32_t i = 0; i < listed_count; i++)
		if (!strcmp(paths[i], path))
			return i;
	return -1;
}

bool listed_contains(const char *above, const char *path)
{
	size_t length = strlen(above);

	return !strncmp(above, path, length) && path[length] == '/';
}
