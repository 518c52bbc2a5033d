// SPDX-License-Identifier: BSD-2-Clause
#include "log.h"

#include <irq.h>
#include <string.h>

#include "epochs.h"
#include "link.h"

void log_line(int level, const char *line)
{
	link_message.type_choice = device_message_type_log_c;
	link_message.log = (struct log_body){
		.level.log_level_choice = level,
		.line.value = (const uint8_t *)line,
		.line.len = strlen(line),
	};
	link_send(&link_message);
}

void log_send(int level, const char *line)
{
	for (bool sent = false; !sent;) {
		irq_setie(0);
		sent = link_has_room() && !epochs_halfway();
		if (sent)
			log_line(level, line);
		irq_setie(1);
	}
}
