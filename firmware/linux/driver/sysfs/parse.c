// SPDX-License-Identifier: GPL-2.0
/* Parses text written to sysfs: decimal numbers separated by blanks, then at most one newline. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "litemrc.h"

static const char *litemrc_skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/**
 * litemrc_parse_numbers - parse numbers from 0 to 2^32 - 1
 * @text: the text written by the user
 * @numbers: the result; undefined on failure
 * @count: the required number of numbers
 * @rest: set to the text after them and blanks; NULL: there must be none
 *
 * Return: 0 or -EINVAL
 */
int litemrc_parse_numbers(const char *text, u32 *numbers, unsigned int count, const char **rest)
{
	while (count--) {
		u64 number = 0;

		if (!isdigit(*text))
			return -EINVAL;
		for (; isdigit(*text); text++) {
			number = number * 10 + *text - '0';
			if (number > U32_MAX)
				return -EINVAL;
		}
		*numbers++ = number;
		if (*text && !isspace(*text))
			return -EINVAL;
		text = litemrc_skip_blanks(text);
	}
	if (rest)
		*rest = text;
	else if (!sysfs_streq(text, ""))
		return -EINVAL;
	return 0;
}

int litemrc_parse_switch(const char *text, bool *on)
{
	u32 number;

	if (litemrc_parse_numbers(text, &number, 1, NULL) || number > 1)
		return -EINVAL;
	*on = number;
	return 0;
}
