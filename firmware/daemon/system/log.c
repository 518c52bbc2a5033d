// SPDX-License-Identifier: BSD-2-Clause
#include "system/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void line(const char *format, va_list values)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, values);
	fprintf(stderr, "litemrcd: %s\n", text);
}

void log_info(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	line(format, values);
	va_end(values);
}

void die(int status, const char *remedy, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	line(format, values);
	va_end(values);
	fprintf(stderr, "  %s\n", remedy);
	exit(status);
}
