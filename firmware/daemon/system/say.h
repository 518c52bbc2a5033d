/* SPDX-License-Identifier: BSD-2-Clause */
/* What the daemon tells a human: lines on stderr. */
#ifndef LITEMRCD_SAY_H
#define LITEMRCD_SAY_H

#define EXIT_BAD_INPUT 2

/* A line. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* A line that says what was wrong and where, one that says what to do, and the end with `status`. */
__attribute__((format(printf, 3, 4))) _Noreturn void give_up(int status, const char *remedy, const char *format, ...);

#endif
