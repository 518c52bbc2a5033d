/* SPDX-License-Identifier: BSD-2-Clause */
/* The image's programs as one file, which acts by its name: they share a C library, and the boot copies it once. */
#include <stdio.h>
#include <string.h>

/* PROGRAMS, of the Makefile: PROGRAM(name) for each. */
#define PROGRAM(name) int name##_main(int argc, char **argv);
PROGRAMS
#undef PROGRAM

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
	PROGRAMS
};

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argc ? argv[0] : "";

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(name, programs[i].name))
			return programs[i].main(argc, argv);
	fprintf(stderr, "there is no program '%s' here\n", name);
	return 127;
}
