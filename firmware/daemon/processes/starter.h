/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A helper process that starts programs as a user of their own. So no program can write the files of its cgroup, which
 * belong to the daemon's user, or signal the daemon.
 *
 * The helper is not root either. Its effective user is the programs', so that its children can become that user; its
 * real and saved users are the daemon's, so that programs cannot signal it. Programs are children of the daemon.
 */
#ifndef LITEMRCD_STARTER_H
#define LITEMRCD_STARTER_H

#include <stdint.h>
#include <sys/types.h>

#include "system/privileges.h"

/*
 * Creates the helper; call after cgroups_init() and child_init(), before privileges_drop(). `daemon` NULL: the present
 * user; `programs` NULL: programs run as the daemon's user.
 */
void starter_begin(const struct identity *daemon, const struct identity *programs);

/*
 * Starts a program, which waits for starter_release(). Returns its pid, or -errno; -ETIMEDOUT: the helper did not
 * answer within 2 s.
 */
pid_t starter_hold(uint32_t program, uint32_t scale);

/* Make the program held last run, or exit without running. */
void starter_release(void);
void starter_cancel(void);

/* Sends a signal to the program's process group. */
void starter_signal(pid_t program, int signal);

#endif
