// SPDX-License-Identifier: BSD-2-Clause
#include "log.h"

#include <irq.h>
#include <string.h>

#include "epochs.h"
#include "link.h"

void log_line(int level, const char *line)
{
	struct litemrc_log log = {.level = level};

	strncpy(log.line, line, sizeof(log.line) - 1);
	link_send(LITEMRC_MESSAGE_LOG, &log, sizeof(log));
}

void log_send(int level, const char *line)
{
	for (bool sent = false; !sent;) {
		irq_setie(0);
		sent = link_has_room(sizeof(struct litemrc_log)) && !epochs_halfway();
		if (sent)
			log_line(level, line);
		irq_setie(1);
	}
}
