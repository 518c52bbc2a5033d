// SPDX-License-Identifier: BSD-2-Clause
#include "print.h"
#include "print_fields.h"

void print_host_request(const struct host_request *m)
{
	static const char *const names[] = {
		[host_request_type_hello_c] = "hello",
		[host_request_type_echo_c] = "echo",
		[host_request_type_get_epoch_c] = "get_epoch",
		[host_request_type_set_epoch_c] = "set_epoch",
		[host_request_type_get_engine_c] = "get_engine",
		[host_request_type_set_engine_c] = "set_engine",
		[host_request_type_get_context_c] = "get_context",
		[host_request_type_set_context_c] = "set_context",
		[host_request_type_invalidate_c] = "invalidate",
		[host_request_type_end_epoch_c] = "end_epoch",
		[host_request_type_monitor_c] = "monitor",
		[host_request_type_clear_c] = "clear",
		[host_request_type_run_c] = "run",
		[host_request_type_get_range_c] = "get_range",
		[host_request_type_set_range_c] = "set_range",
		[host_request_type_get_sampling_c] = "get_sampling",
		[host_request_type_set_sampling_c] = "set_sampling",
		[host_request_type_get_freeze_c] = "get_freeze",
		[host_request_type_freeze_c] = "freeze",
		[host_request_type_single_shot_c] = "single_shot",
		[host_request_type_arm_c] = "arm",
		[host_request_type_get_process_c] = "get_process",
		[host_request_type_follow_c] = "follow",
		[host_request_type_get_budget_c] = "get_budget",
		[host_request_type_set_budget_c] = "set_budget",
		[host_request_type_reclaim_c] = "reclaim",
		[host_request_type_get_dram_c] = "get_dram",
		[host_request_type_get_rank_policy_c] = "get_rank_policy",
		[host_request_type_set_rank_policy_c] = "set_rank_policy",
		[host_request_type_set_rank_state_c] = "set_rank_state",
		[host_request_type_get_working_set_c] = "get_working_set",
		[host_request_type_set_working_set_c] = "set_working_set",
		[host_request_type_set_rank_loss_c] = "set_rank_loss",
		[host_request_type_set_lease_c] = "set_lease",
		[host_request_type_get_ref_counters_c] = "get_ref_counters",
		[host_request_type_get_counter_c] = "get_counter",
		[host_request_type_arm_counter_c] = "arm_counter",
		[host_request_type_count_requests_c] = "count_requests",
		[host_request_type_get_count_c] = "get_count",
		[host_request_type_set_count_c] = "set_count",
		[host_request_type_get_traffic_c] = "get_traffic",
		[host_request_type_set_traffic_c] = "set_traffic",
		[host_request_type_follow_cgroup_c] = "follow_cgroup",
		[host_request_type_measure_fault_cost_c] = "measure_fault_cost",
		[host_request_type_get_fault_cost_c] = "get_fault_cost",
		[host_request_type_get_split_c] = "get_split",
		[host_request_type_set_split_c] = "set_split",
		[host_request_type_get_hot_c] = "get_hot",
		[host_request_type_set_hot_c] = "set_hot",
		[host_request_type_get_page_messages_c] = "get_page_messages",
		[host_request_type_set_page_messages_c] = "set_page_messages",
	};

	printf("%s", names[m->type_choice]);
	U("sequence", m->sequence);
	switch (m->type_choice) {
	case host_request_type_echo_c:
		print_string("payload", &m->echo.payload);
		break;
	case host_request_type_set_epoch_c:
		U("unit", m->set_epoch.unit.epoch_unit_choice);
		U("length", m->set_epoch.length);
		break;
	case host_request_type_set_engine_c:
		U("engine", m->set_engine.engine.stack_engine_choice);
		break;
	case host_request_type_set_context_c:
		U("context", m->set_context.context);
		break;
	case host_request_type_invalidate_c:
		U("frame", m->invalidate.frame);
		break;
	case host_request_type_monitor_c:
		U("on", m->monitor.on);
		break;
	case host_request_type_run_c:
		U("workload", m->run.workload);
		U("context", m->run.context);
		U("scale", m->run.scale);
		break;
	case host_request_type_set_range_c:
		U("lower", m->set_range.lower);
		U("upper", m->set_range.upper);
		break;
	case host_request_type_set_sampling_c:
		U("sampling", m->set_sampling.sampling);
		break;
	case host_request_type_freeze_c:
		U("on", m->freeze.on);
		break;
	case host_request_type_single_shot_c:
		U("on", m->single_shot.on);
		break;
	case host_request_type_set_rank_policy_c:
		U("policy", m->set_rank_policy.policy.rank_policy_choice);
		U("static_state", m->set_rank_policy.static_state.power_state_choice);
		U("mrc_state", m->set_rank_policy.mrc_state.power_state_choice);
		U("mrc_base", m->set_rank_policy.mrc_base.rank_policy_choice);
		U("threshold_power_down", m->set_rank_policy.threshold_power_down);
		U("threshold_self_refresh", m->set_rank_policy.threshold_self_refresh);
		break;
	case host_request_type_set_rank_state_c:
		U("domain", m->set_rank_state.domain);
		U("state", m->set_rank_state.state.power_state_choice);
		break;
	case host_request_type_set_working_set_c:
		U("automatic", m->set_working_set.automatic);
		U("groups", m->set_working_set.groups);
		U("epsilon", m->set_working_set.epsilon);
		break;
	case host_request_type_set_rank_loss_c:
		U("domain", m->set_rank_loss.domain);
		U("allowed", m->set_rank_loss.allowed);
		U("part", m->set_rank_loss.part);
		break;
	case host_request_type_follow_cgroup_c:
		U("context", m->follow_cgroup.context);
		print_string("path", &m->follow_cgroup.path);
		break;
	case host_request_type_set_lease_c:
		U("cycles", m->set_lease.cycles);
		break;
	case host_request_type_get_counter_c:
		U("counter", m->get_counter.counter.page_counter_choice);
		break;
	case host_request_type_arm_counter_c:
		U("counter", m->arm_counter.counter.page_counter_choice);
		U("initial", m->arm_counter.initial);
		U("accesses", m->arm_counter.accesses);
		U("masters", m->arm_counter.masters);
		U("contexts", m->arm_counter.contexts);
		U("lower", m->arm_counter.lower);
		U("upper", m->arm_counter.upper);
		break;
	case host_request_type_count_requests_c:
		U("on", m->count_requests.on);
		break;
	case host_request_type_get_count_c:
		U("counter", m->get_count.counter.page_counter_choice);
		U("page", m->get_count.page);
		break;
	case host_request_type_set_count_c:
		U("counter", m->set_count.counter.page_counter_choice);
		U("page", m->set_count.page);
		U("value", m->set_count.value);
		break;
	case host_request_type_set_traffic_c:
		U("base", m->set_traffic.base);
		U("words_log2", m->set_traffic.words_log2);
		U("random", m->set_traffic.random);
		U("stride", m->set_traffic.stride);
		U("writes", m->set_traffic.writes);
		U("gap", m->set_traffic.gap);
		U("seed", m->set_traffic.seed);
		U("count", m->set_traffic.count);
		break;
	case host_request_type_get_process_c:
		U("context", m->get_process.context);
		break;
	case host_request_type_follow_c:
		U("context", m->follow.context);
		U("pid", m->follow.pid);
		break;
	case host_request_type_get_budget_c:
		U("context", m->get_budget.context);
		break;
	case host_request_type_set_budget_c:
		U("context", m->set_budget.context);
		U("pages", m->set_budget.pages);
		break;
	case host_request_type_reclaim_c:
		U("context", m->reclaim.context);
		U("pages", m->reclaim.pages);
		break;
	case host_request_type_set_split_c:
		U("on", m->set_split.on);
		break;
	case host_request_type_set_hot_c:
		U("enable", m->set_hot.enable);
		U("reads", m->set_hot.reads);
		U("writes", m->set_hot.writes);
		U("threshold", m->set_hot.threshold);
		U("wanted", m->set_hot.wanted);
		U("lower", m->set_hot.lower);
		U("upper", m->set_hot.upper);
		U("watermark", m->set_hot.watermark);
		U("always_on", m->set_hot.always_on.always_on);
		U("sampling_log2", m->set_hot.sampling_log2.sampling_log2);
		break;
	case host_request_type_set_page_messages_c:
		U("accessed", m->set_page_messages.accessed);
		U("hot", m->set_page_messages.hot);
		break;
	default: /* a request without arguments */
		break;
	}
	printf("\n");
}
