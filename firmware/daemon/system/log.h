/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines on stderr. */
#ifndef LITEMRCD_LOG_H
#define LITEMRCD_LOG_H

#define EXIT_BAD_INPUT 2

/* Logs one line. */
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);

/* Logs what is wrong and where, and a second line with what to do; exits with `status`. */
__attribute__((format(printf, 3, 4))) _Noreturn void die(int status, const char *remedy, const char *format, ...);

#endif
