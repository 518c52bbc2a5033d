// SPDX-License-Identifier: BSD-2-Clause
#include "print.h"
#include "print_fields.h"

static void print_hello(const struct hello_body *m)
{
	U("request", m->request);
	U("protocol", m->protocol);
	U("features", m->features);
	U("gateware", m->gateware);
	U("clock_hz", m->clock_hz);
	U("page_shift", m->page_shift);
	U("frames", m->frames);
	U("groups", m->groups);
	U("contexts", m->contexts);
	U("engine", m->engine.stack_engine_choice);
	U("pages", m->pages);
	U("running", m->running);
	U("epoch_messages", m->epoch_messages);
	U("recent_pages", m->recent_pages.recent_pages);
	U("queue_depth", m->queue_depth.queue_depth);
	U("ranks", m->ranks.ranks);
	printf(" workloads=");
	for (size_t i = 0; i < m->workloads.workloads_count; i++) {
		printf("%s", i ? "," : "");
		for (size_t j = 0; j < m->workloads.workloads[i].len; j++)
			printf("%02x", m->workloads.workloads[i].value[j]);
	}
	print_string("system", &m->system.system);
	print_string("driver", &m->driver.driver);
	U("abi", m->abi.abi);
	U("hot_pages", m->hot_pages.hot_pages);
	print_string("identifier", &m->identifier.identifier);
}

static void print_epoch(const struct epoch_body *m)
{
	U("index", m->index);
	U("epoch", m->epoch);
	U("remaining", m->remaining);
	U("context", m->context);
	U("accesses", m->accesses);
	U("misses", m->misses);
	U("touched", m->touched);
	U("dropped", m->dropped);
	U("outside", m->outside);
	U("unsampled", m->unsampled);
	U("scale_log2", m->scale_log2);
	print_numbers("hits", m->hits, m->hits_count);
	U("overflow", m->overflow.overflow);
	U("split", m->split.split);
	U("resident", m->resident.resident);
	U("evicted", m->evicted.evicted);
	U("unidentified", m->unidentified.unidentified);
	print_numbers("tail", m->tail.tail, m->tail.tail_count);
}

static void print_event(const struct event_body *m)
{
	U("kind", m->kind.event_kind_choice);
	U("workload", m->workload);
	U("context", m->context);
	U("epoch_messages", m->epoch_messages);
	U("cycles", m->cycles.cycles);
}

static void print_process(const struct process_body *m)
{
	U("state", m->state.process_state_choice);
	U("context", m->context);
	U("pid", m->pid);
	U("epoch_messages", m->epoch_messages);
	print_string("comm", &m->comm.comm);
}

static void print_rank(const struct rank_body *m)
{
	U("index", m->index);
	U("epoch", m->epoch);
	U("remaining", m->remaining);
	U("domain", m->domain);
	U("clocks", m->clocks);
	U("state", m->state.power_state_choice);
	U("working", m->working);
	U("live_pages", m->live_pages);
	print_numbers("counters", m->counters, m->counters_count);
	U("overflow", m->overflow.overflow);
}

static void print_task(const struct task_body *m)
{
	U("index", m->index);
	U("epoch", m->epoch);
	U("remaining", m->remaining);
	U("context", m->context);
	U("memory", m->memory);
	U("budget", m->budget);
	U("resident", m->resident);
	U("references", m->references);
	U("faults", m->faults);
	U("zero_fills", m->zero_fills);
	U("writes", m->writes);
	U("iterations", m->iterations);
	U("response", m->response);
	U("damaged", m->damaged);
}

static void print_pages(const struct pages_body *m)
{
	U("index", m->index);
	U("epoch", m->epoch);
	U("context", m->context);
	U("copies", m->copies);
	U("room", m->room);
	U("references", m->references);
	U("local", m->local);
	U("remote_reads", m->remote_reads);
	U("remote_writes", m->remote_writes);
	U("home", m->home);
	U("replications", m->replications);
	U("refused", m->refused);
	U("drops", m->drops);
	U("kept", m->kept);
	U("updates_sent", m->updates_sent);
	U("updates_received", m->updates_received);
	U("cost", m->cost);
	U("lost", m->lost);
	U("damaged", m->damaged);
}

static void print_count(const struct count_body *m)
{
	U("index", m->index);
	U("counter", m->counter.page_counter_choice);
	U("page", m->page);
	U("lost", m->lost.lost);
}

static void print_accessed(const struct accessed_body *m)
{
	U("index", m->index);
	U("epoch", m->epoch);
	U("piece", m->piece);
	U("remaining", m->remaining);
	U("first", m->first);
	print_string("accessed", &m->accessed);
	print_string("written", &m->written.written);
}

static void print_hot(const struct hot_body *m)
{
	U("index", m->index);
	U("epoch", m->epoch);
	U("piece", m->piece);
	U("remaining", m->remaining);
	U("accesses", m->accesses);
	print_numbers("frames", m->frames, m->frames_count);
	print_numbers("counts", m->counts, m->counts_count);
	U("more", m->more.more);
	U("saturated", m->saturated.saturated);
}

static void print_queued(const struct queued_body *m)
{
	U("index", m->index);
	print_numbers("frames", m->frames, m->frames_count);
	U("overflow", m->overflow.overflow);
}

void print_device_message(const struct device_message *m)
{
	static const char *const names[] = {
		[device_message_type_hello_c] = "hello", [device_message_type_epoch_c] = "epoch",
		[device_message_type_event_c] = "event", [device_message_type_log_c] = "log",
		[device_message_type_ack_c] = "ack",     [device_message_type_nak_c] = "nak",
		[device_message_type_process_c] = "process", [device_message_type_rank_c] = "rank",
		[device_message_type_task_c] = "task",   [device_message_type_pages_c] = "pages",
		[device_message_type_count_c] = "count", [device_message_type_accessed_c] = "accessed",
		[device_message_type_hot_c] = "hot",     [device_message_type_queued_c] = "queued",
	};

	printf("%s", names[m->type_choice]);
	U("sequence", m->sequence);
	switch (m->type_choice) {
	case device_message_type_hello_c:
		print_hello(&m->hello);
		break;
	case device_message_type_epoch_c:
		print_epoch(&m->epoch);
		break;
	case device_message_type_event_c:
		print_event(&m->event);
		break;
	case device_message_type_log_c:
		U("level", m->log.level.log_level_choice);
		print_string("line", &m->log.line);
		break;
	case device_message_type_ack_c:
		U("request", m->ack.request);
		print_numbers("values", m->ack.values, m->ack.values_count);
		print_string("payload", &m->ack.payload.payload);
		break;
	case device_message_type_nak_c:
		U("request", m->nak.request);
		U("error", m->nak.error.error_code_choice);
		print_string("reason", &m->nak.reason.reason);
		break;
	case device_message_type_process_c:
		print_process(&m->process);
		break;
	case device_message_type_rank_c:
		print_rank(&m->rank);
		break;
	case device_message_type_task_c:
		print_task(&m->task);
		break;
	case device_message_type_pages_c:
		print_pages(&m->pages);
		break;
	case device_message_type_count_c:
		print_count(&m->count);
		break;
	case device_message_type_accessed_c:
		print_accessed(&m->accessed);
		break;
	case device_message_type_hot_c:
		print_hot(&m->hot);
		break;
	case device_message_type_queued_c:
		print_queued(&m->queued);
		break;
	}
	printf("\n");
}
