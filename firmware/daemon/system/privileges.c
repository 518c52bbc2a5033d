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

#include "system/say.h"
#include "system/text.h"

#define A_USER "use --user USER or --user USER:GROUP, names or numbers"

struct identity identity_named(const char *text)
{
	struct identity identity;
	char name[64];
	const char *group = strchr(text, ':');
	uint64_t number;
	bool has_group = group;

	snprintf(name, sizeof(name), "%.*s", (int)(group ? group - text : (long)strlen(text)), text);
	if (whole_number(name, INT32_MAX, &number)) {
		identity = (struct identity){number, number};
	} else {
		struct passwd *entry = getpwnam(name);

		if (!entry)
			give_up(EXIT_BAD_INPUT, A_USER, "--user %s: there is no such user", text);
		identity = (struct identity){entry->pw_uid, entry->pw_gid};
	}
	if (has_group && whole_number(group + 1, INT32_MAX, &number)) {
		identity.group = number;
	} else if (has_group) {
		struct group *entry = getgrnam(group + 1);

		if (!entry)
			give_up(EXIT_BAD_INPUT, A_USER, "--user %s: there is no such group", text);
		identity.group = entry->gr_gid;
	}
	if (!identity.user || !identity.group)
		give_up(EXIT_BAD_INPUT, "name a user and a group other than root", "--user %s is root", text);
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

void privileges_drop(const struct identity *identity)
{
	if (identity && !become(identity))
		give_up(1, "start the daemon as root with all capabilities", "cannot become user %u: %s",
			(unsigned int)identity->user, strerror(errno));
	/* PR_SET_DUMPABLE: programs of the same user must not reach the daemon's open files. */
	if (!drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		give_up(1, "use Linux 3.5 or newer", "cannot drop privileges: %s", strerror(errno));
	if ((identity && is_another(identity)) || can_get_back())
		give_up(1, "report this as a bug", "dropped privileges could be regained");
}
