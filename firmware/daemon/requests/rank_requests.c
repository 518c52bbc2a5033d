// SPDX-License-Identifier: BSD-2-Clause
#include "requests/rank_requests.h"

#include <errno.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/ranks.h"

static bool can_reach(int state)
{
	return dram.states >> state & 1;
}

static int acknowledge_dram(struct answer *answer)
{
	const uint32_t values[] = {dram.ranks, dram.virtual, dram.states, dram.chips, dram.phases, 0};

	memcpy(answer->ack.values, values, sizeof(values));
	answer->ack.values_count = sizeof(values) / sizeof(values[0]);
	memcpy(answer->payload, dram.part, strlen(dram.part));
	answer->ack.payload.payload.len = strlen(dram.part);
	return 0;
}

static int acknowledge_policy(struct answer *answer)
{
	struct rank_policy_values policy;
	int error = ranks_policy(&policy);

	if (error)
		return refuse_errno(answer, error);
	_Static_assert(sizeof(policy) <= sizeof(answer->ack.values), "a value for each member");
	memcpy(answer->ack.values, &policy, sizeof(policy));
	answer->ack.values_count = sizeof(policy) / sizeof(uint32_t);
	return 0;
}

static int set_policy(const struct set_rank_policy_body *body, struct answer *answer)
{
	const struct rank_policy_values policy = {
		.kind = body->policy.rank_policy_choice,
		.static_state = body->static_state.power_state_choice,
		.mrc_state = body->mrc_state.power_state_choice,
		.mrc_base = body->mrc_base.rank_policy_choice,
		.threshold_power_down = body->threshold_power_down,
		.threshold_self_refresh = body->threshold_self_refresh,
	};
	int error;

	if (!can_reach(policy.static_state) || !can_reach(policy.mrc_state))
		return refuse(answer, error_code_bad_argument_c, "the DRAM cannot reach that state");
	if (policy.mrc_base == rank_policy_mrc_c)
		return refuse(answer, error_code_bad_argument_c, "mrc cannot be its own base");
	error = ranks_set_policy(&policy);
	return error ? refuse_errno(answer, error) : acknowledge_policy(answer);
}

static int set_state(uint32_t rank, int state, struct answer *answer)
{
	int error;

	if (rank >= dram.ranks)
		return refuse(answer, error_code_bad_argument_c, "there is no such domain");
	if (!can_reach(state))
		return refuse(answer, error_code_bad_argument_c, "the DRAM cannot reach that state");
	if (state == power_state_self_refresh_partial_c)
		return refuse(answer, error_code_bad_argument_c, "the domain's data would be lost: Linux may use all of it");
	error = ranks_set_state(rank, state);
	if (error == -EBUSY)
		return refuse(answer, error_code_busy_c, "the kernel runs from this domain");
	return refuse_errno(answer, error);
}

/* Nothing may be lost, so the part that is retained has no effect. */
static int set_loss(const struct set_rank_loss_body *body, struct answer *answer)
{
	if (body->domain >= dram.ranks)
		return refuse(answer, error_code_bad_argument_c, "there is no such domain");
	if (body->allowed)
		return refuse(answer, error_code_busy_c, "Linux may use every page of the domain");
	return 0;
}

static int acknowledge_working_set(struct answer *answer)
{
	struct working_set_values set;
	int error = ranks_working_set(&set);

	if (!error)
		acknowledge(answer, 3, set.automatic, set.groups, set.epsilon);
	return refuse_errno(answer, error);
}

static int set_working_set(const struct set_working_set_body *body, struct answer *answer)
{
	const struct working_set_values set = {body->automatic, body->groups, body->epsilon};
	int error;

	if (set.groups > parameters.groups)
		return refuse(answer, error_code_bad_argument_c, "the stacks have fewer groups");
	error = ranks_set_working_set(&set);
	return error ? refuse_errno(answer, error) : acknowledge_working_set(answer);
}

int ranks_perform(const struct host_request *request, struct answer *answer)
{
	if (!dram.ranks)
		return refuse(answer, error_code_unsupported_c, "the device has no rank power");
	switch (request->type_choice) {
	case host_request_type_get_dram_c:
		return acknowledge_dram(answer);
	case host_request_type_get_rank_policy_c:
		return acknowledge_policy(answer);
	case host_request_type_set_rank_policy_c:
		return set_policy(&request->set_rank_policy, answer);
	case host_request_type_set_rank_state_c:
		return set_state(request->set_rank_state.domain, request->set_rank_state.state.power_state_choice, answer);
	case host_request_type_set_rank_loss_c:
		return set_loss(&request->set_rank_loss, answer);
	case host_request_type_get_working_set_c:
		return acknowledge_working_set(answer);
	default:
		return set_working_set(&request->set_working_set, answer);
	}
}
