// SPDX-License-Identifier: BSD-2-Clause
#include "requests/page_requests.h"

#include <string.h>

#include "driver/driver.h"
#include "driver/pages.h"
#include "messages/page_messages.h"

#define NO_BITMAP "the gateware has no page bitmap"
#define NO_HOT_PAGES "the gateware has no hot pages"

static int acknowledge_hot(struct answer *answer)
{
	struct hot_settings settings;
	int error = hot_settings(&settings);

	if (error)
		return refuse_errno(answer, error);
	_Static_assert(sizeof(settings) <= sizeof(answer->ack.values), "a value for each setting");
	memcpy(answer->ack.values, settings.of, sizeof(settings.of));
	answer->ack.values_count = HOT_SETTINGS;
	return 0;
}

static int set_hot(const struct set_hot_body *set, struct answer *answer)
{
	const struct hot_settings settings = {{
		[HOT_ENABLE] = set->enable, [HOT_READS] = set->reads, [HOT_WRITES] = set->writes,
		[HOT_ALWAYS_ON] = set->always_on.always_on, [HOT_SAMPLING] = set->sampling_log2.sampling_log2,
		[HOT_THRESHOLD] = set->threshold, [HOT_WANTED] = set->wanted, [HOT_LOWER] = set->lower,
		[HOT_UPPER] = set->upper, [HOT_WATERMARK] = set->watermark,
	}};
	int error;

	if (!set->reads && !set->writes)
		return refuse(answer, error_code_bad_argument_c, "neither reads nor writes would be counted");
	if (set->lower > set->upper || set->upper >= parameters.frames)
		return refuse(answer, error_code_bad_argument_c, "there is no such range of frames");
	if (!set->wanted || set->wanted > parameters.hot_pages)
		return refuse(answer, error_code_bad_argument_c, "the list length must be 1 to the number of its places");
	if (!set->watermark || set->watermark > LITEMRC_HOT_QUEUED_MAX)
		return refuse(answer, error_code_bad_argument_c,
			      "the watermark is from 1 to the places of the queue");
	if (!set->threshold)
		return refuse(answer, error_code_bad_argument_c, "the threshold is 0");
	error = hot_set(&settings);
	pages_note_hot();
	if (error) {
		answer->reason = "the gateware has no such setting";
		return refuse_errno(answer, error);
	}
	pages_empty_queue();
	return acknowledge_hot(answer);
}

static int acknowledge_messages(struct answer *answer)
{
	struct page_messages selected = pages_selected();

	acknowledge(answer, 4, selected.accessed, selected.hot, parameters.first_page);
	answer->ack.values[3] = 0;	/* a page number of rv32 has 22 bits */
	return 0;
}

static int set_messages(const struct set_page_messages_body *set, struct answer *answer)
{
	int error;

	if (set->accessed && !parameters.page_bitmap)
		return refuse(answer, error_code_unsupported_c, NO_BITMAP);
	if (set->hot && !parameters.hot_pages)
		return refuse(answer, error_code_unsupported_c, NO_HOT_PAGES);
	error = pages_select((struct page_messages){set->accessed, set->hot});
	return error ? refuse_errno(answer, error) : acknowledge_messages(answer);
}

int pages_perform(const struct host_request *request, struct answer *answer)
{
	switch (request->type_choice) {
	case host_request_type_get_page_messages_c:
		return acknowledge_messages(answer);
	case host_request_type_set_page_messages_c:
		return set_messages(&request->set_page_messages, answer);
	default:
		if (!parameters.hot_pages)
			return refuse(answer, error_code_unsupported_c, NO_HOT_PAGES);
		if (request->type_choice == host_request_type_set_hot_c)
			return set_hot(&request->set_hot, answer);
		return acknowledge_hot(answer);
	}
}
