// SPDX-License-Identifier: BSD-2-Clause
/*
 * Boot arguments: a text in the ROM image that whoever loads the image may fill in behind "bootargs=", as one
 * would a kernel's command line.
 */
#include "bootargs.h"

#include <string.h>

static const volatile char bootargs[128] = "bootargs=";

bool bootarg(const char *name, bool otherwise)
{
	char text[sizeof(bootargs)];
	char *found;

	for (unsigned int i = 0; i < sizeof(text); i++)
		text[i] = bootargs[i];
	text[sizeof(text) - 1] = 0;
	found = strstr(text, name);
	return found ? found[strlen(name) + 1] == '1' : otherwise;
}
