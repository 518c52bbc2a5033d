// SPDX-License-Identifier: BSD-2-Clause
#include "system/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/log.h"
#include "system/text.h"

#define A_USER "use USER or USER:GROUP, names or numbers"

static gid_t group_of(const char *option, const char *text, const char *name, const char *remedy)
{
	struct group *entry;
	uint64_t number;

	if (whole_number(name, INT32_MAX, &number))
		return number;
	entry = getgrnam(name);
	if (!entry)
		die(EXIT_BAD_INPUT, remedy, "%s %s: there is no such group", option, text);
	return entry->gr_gid;
}

gid_t group_named(const char *option, const char *text)
{
	return group_of(option, text, text, "name a group, or its number");
}

struct identity identity_named(const char *option, const char *text)
{
	struct identity identity;
	char name[64];
	const char *group = strchr(text, ':');
	uint64_t number;

	snprintf(name, sizeof(name), "%.*s", (int)(group ? group - text : (long)strlen(text)), text);
	if (whole_number(name, INT32_MAX, &number)) {
		identity = (struct identity){number, number};
	} else {
		struct passwd *entry = getpwnam(name);

		if (!entry)
			die(EXIT_BAD_INPUT, A_USER, "%s %s: there is no such user", option, text);
		identity = (struct identity){entry->pw_uid, entry->pw_gid};
	}
	if (group)
		identity.group = group_of(option, text, group + 1, A_USER);
	if (!identity.user || !identity.group)
		die(EXIT_BAD_INPUT, "name a user and a group other than root", "%s %s is root", option, text);
	return identity;
}

static bool has_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &head, sets))
		return true;
	return sets[0].permitted || sets[0].inheritable || sets[1].permitted || sets[1].inheritable;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return !syscall(SYS_capset, &head, none);
}

/* Tries it, rather than trusting the results of the calls above. */
static bool can_get_back(void)
{
	uid_t real, effective, saved;

	return !setuid(0) || !setresuid(-1, 0, -1) || getresuid(&real, &effective, &saved) || !real || !effective ||
	       !saved || has_capabilities();
}

static bool is_another(const struct identity *identity)
{
	uid_t user, effective_user, saved_user;
	gid_t group, effective_group, saved_group;

	if (getresuid(&user, &effective_user, &saved_user) || getresgid(&group, &effective_group, &saved_group))
		return true;
	return user != identity->user || effective_user != identity->user || saved_user != identity->user ||
	       group != identity->group || effective_group != identity->group || saved_group != identity->group ||
	       getgroups(0, NULL) != 0 || !setgid(0);
}

static bool become(const struct identity *identity)
{
	return !setgroups(0, NULL) && !setresgid(identity->group, identity->group, identity->group) &&
	       !setresuid(identity->user, identity->user, identity->user);
}

/* PR_SET_DUMPABLE: other processes of the same user must not reach the open files. */
static void drop_all(void)
{
	if (!drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		die(1, "use Linux 3.5 or newer", "cannot drop privileges: %s", strerror(errno));
}

void privileges_drop(const struct identity *identity)
{
	if (identity && !become(identity))
		die(1, "start the daemon as root with all capabilities", "cannot become user %u: %s",
			(unsigned int)identity->user, strerror(errno));
	drop_all();
	if ((identity && is_another(identity)) || can_get_back())
		die(1, "report this as a bug", "dropped privileges could be regained");
}

void privileges_split(const struct identity *own, const struct identity *lent)
{
	if (setgroups(0, NULL) || setresgid(own->group, lent->group, own->group) ||
	    setresuid(own->user, lent->user, own->user))
		die(1, "start the daemon as root with all capabilities", "cannot become users %u and %u: %s",
			(unsigned int)own->user, (unsigned int)lent->user, strerror(errno));
	drop_all();
	if (can_get_back())
		die(1, "report this as a bug", "dropped privileges could be regained");
}

void privileges_take(const struct identity *identity, const struct identity *former)
{
	if (setresgid(identity->group, identity->group, identity->group) ||
	    setresuid(identity->user, identity->user, identity->user) || is_another(identity) || can_get_back() ||
	    !setresuid(-1, former->user, -1))
		_exit(126);
}
