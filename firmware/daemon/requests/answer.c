// SPDX-License-Identifier: BSD-2-Clause
#include "requests/answer.h"

#include <errno.h>
#include <string.h>

int refuse_errno(struct answer *answer, int error)
{
	switch (-error) {
	case 0:
		return 0;
	case EBUSY:
	case EAGAIN:
		return refuse(answer, error_code_busy_c, answer->reason);
	case EINVAL:
	case ERANGE:
		return refuse(answer, error_code_bad_argument_c, answer->reason);
	case ESRCH:
		return refuse(answer, error_code_bad_argument_c, "there is no such process");
	default:
		return refuse(answer, error_code_unsupported_c, *answer->reason ? answer->reason : strerror(-error));
	}
}
