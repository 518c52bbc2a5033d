/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines on stderr. */
#ifndef LITEMRCD_SAY_H
#define LITEMRCD_SAY_H

#define EXIT_BAD_INPUT 2

/* Logs one line. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Logs what is wrong and where, and a second line with what to do; exits with `status`. */
__attribute__((format(printf, 3, 4))) _Noreturn void give_up(int status, const char *remedy, const char *format, ...);

#endif
