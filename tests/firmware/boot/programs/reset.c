// SPDX-License-Identifier: BSD-2-Clause
#include "smode.h"

int main(void)
{
	print("started\n");
	sbi(CALL_EXTENSION, 0, CALL_TYPE, CALL_REASON);
	print("FAILED: still here\n");
	return 1;
}
