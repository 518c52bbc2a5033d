// SPDX-License-Identifier: BSD-2-Clause
#include "system/text.h"

bool take_number(const char **text, uint64_t most, uint64_t *number)
{
	const char *at = *text;
	uint64_t value = 0;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		unsigned int digit = *at - '0';

		if (digit > most || value > (most - digit) / 10)
			return false;
		value = 10 * value + digit;
	}
	*text = at;
	*number = value;
	return true;
}

bool whole_number(const char *text, uint64_t most, uint64_t *number)
{
	if (!take_number(&text, most, number))
		return false;
	if (*text == '\n')
		text++;
	return !*text;
}

size_t copy_name(char *copy, size_t size, const char *name, size_t length)
{
	size_t count = 0;

	while (count < size - 1 && count < length && name[count] && name[count] != '\n') {
		char letter = name[count];

		copy[count++] = letter < ' ' || letter > '~' ? '?' : letter;
	}
	copy[count] = 0;
	return count;
}
