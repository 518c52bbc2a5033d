// SPDX-License-Identifier: BSD-2-Clause
/*
 * Boot arguments: a text in the ROM image, like a kernel's command line. The program that loads the image may overwrite
 * the spaces between "bootargs=" and the semicolon.
 */
#include "bootargs.h"

#include <string.h>

#define SPACES "                                "

static const volatile char bootargs[] = "bootargs=" SPACES SPACES SPACES ";";

bool bootarg(const char *name, bool otherwise)
{
	char text[sizeof(bootargs)];
	char *found;

	for (unsigned int i = 0; i < sizeof(text); i++)
		text[i] = bootargs[i];
	found = strstr(text, name);
	return found ? found[strlen(name) + 1] == '1' : otherwise;
}
