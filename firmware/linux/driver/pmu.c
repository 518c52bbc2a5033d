// SPDX-License-Identifier: GPL-2.0
/*
 * The counters as events of perf: a PMU outside the processor's cores,
 * "litemrc". It counts finished epochs. The core of perf in these kernels
 * cannot lose a PMU that has events, and events keep the module: so a PMU stays
 * until the module is unloaded, also when its monitor is unbound.
 */
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "litemrc.h"

enum litemrc_pmu_event {
	LITEMRC_PMU_ACCESSES,
	LITEMRC_PMU_MISSES,
	LITEMRC_PMU_HITS,
	LITEMRC_PMU_DROPPED,
	LITEMRC_PMU_RANK_READS,
	LITEMRC_PMU_RANK_WRITES,
	LITEMRC_PMU_DRAM_READS,
	LITEMRC_PMU_DRAM_WRITES,
	LITEMRC_PMU_DRAM_ROW_HITS,
	LITEMRC_PMU_DRAM_ACTIVATES,
	LITEMRC_PMU_DRAM_ROW_CONFLICTS,
	LITEMRC_PMU_DRAM_CYCLES,
	LITEMRC_PMU_DRAM_REFRESHES,
	LITEMRC_PMU_EVENTS,
};

#define LITEMRC_PMU_OF_RANKS LITEMRC_PMU_RANK_READS /* the first of them */
#define LITEMRC_PMU_OF_DRAM LITEMRC_PMU_DRAM_READS
/* known only if rows are observed */
#define LITEMRC_PMU_OF_ROWS LITEMRC_PMU_DRAM_ROW_HITS

/* 5^20: times 10^-20 a byte in units of perf's MiB, 2^-20. */
#define LITEMRC_PMU_BYTE_E20 95367431640625ULL

struct litemrc_pmu {
	struct pmu pmu;
	struct list_head node;
	int id; /* of the device */
	char name[16];
	u32 contexts; /* of the monitor; 0: it is unbound */
	u32 ranks; /* with a meter */
	bool has_ranks; /* that litemrc_ranks counts, now or later */
	u32 events; /* the number behind the last that is known */
	u32 access_bytes; /* that a read or write of the DRAM moves */
	/* guards the totals, which callbacks of perf read */
	raw_spinlock_t lock;
	u64 context[LITEMRC_CONTEXTS_MAX][LITEMRC_PMU_DROPPED];
	u64 dropped;
	u64 rank[LITEMRC_RANKS_MAX][LITEMRC_PMU_OF_DRAM - LITEMRC_PMU_OF_RANKS];
	u64 dram[LITEMRC_PMU_EVENTS - LITEMRC_PMU_OF_DRAM];
};

static LIST_HEAD(pmus);
static DEFINE_MUTEX(pmus_lock); /* guards the list, and what each PMU has */

static struct litemrc_pmu *litemrc_to_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct litemrc_pmu, pmu);
}

static u32 litemrc_pmu_number(u64 config)
{
	return config & 0xff;
}

static u32 litemrc_pmu_context(u64 config)
{
	return config >> 8 & 0xff;
}

static u32 litemrc_pmu_rank(u64 config)
{
	return config >> 16 & 0xff;
}

/* What an event does not have must be 0. */
static bool litemrc_pmu_is_valid(const struct litemrc_pmu *pmu, u64 config)
{
	u32 event = litemrc_pmu_number(config),
	    context = litemrc_pmu_context(config),
	    rank = litemrc_pmu_rank(config);

	if (config >> 24 || event >= pmu->events)
		return false;
	if (event >= LITEMRC_PMU_OF_DRAM)
		return !context && !rank;
	if (event >= LITEMRC_PMU_OF_RANKS)
		return rank < pmu->ranks && !context;
	return context < (event == LITEMRC_PMU_DROPPED ? 1 : pmu->contexts) &&
	       !rank;
}

static int litemrc_pmu_event_init(struct perf_event *event)
{
	struct litemrc_pmu *pmu;
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) ||
	    event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	/*
	 * It counts other users' processes, whatever perf_event_paranoid
	 * allows.
	 */
	if (!perfmon_capable())
		return -EACCES;
	pmu = litemrc_to_pmu(event->pmu);
	mutex_lock(&pmus_lock);
	ret = !pmu->contexts				    ? -ENODEV :
	      litemrc_pmu_is_valid(pmu, event->attr.config) ? 0 :
							      -EINVAL;
	mutex_unlock(&pmus_lock);
	return ret;
}

static u64 litemrc_pmu_total(struct perf_event *event)
{
	struct litemrc_pmu *pmu = litemrc_to_pmu(event->pmu);
	u64 config = event->attr.config, total;
	u32 number = litemrc_pmu_number(config);
	unsigned long flags;

	raw_spin_lock_irqsave(&pmu->lock, flags);
	if (number >= LITEMRC_PMU_OF_DRAM)
		total = pmu->dram[number - LITEMRC_PMU_OF_DRAM];
	else if (number >= LITEMRC_PMU_OF_RANKS)
		total = pmu->rank[litemrc_pmu_rank(config)]
				 [number - LITEMRC_PMU_OF_RANKS];
	else if (number == LITEMRC_PMU_DROPPED)
		total = pmu->dropped;
	else
		total = pmu->context[litemrc_pmu_context(config)][number];
	raw_spin_unlock_irqrestore(&pmu->lock, flags);
	return total;
}

static void litemrc_pmu_event_read(struct perf_event *event)
{
	u64 total = litemrc_pmu_total(event);

	local64_add(total - local64_xchg(&event->hw.prev_count, total),
		    &event->count);
}

static void litemrc_pmu_event_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, litemrc_pmu_total(event));
	event->hw.state = 0;
}

static void litemrc_pmu_event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	litemrc_pmu_event_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int litemrc_pmu_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		litemrc_pmu_event_start(event, flags);
	return 0;
}

static void litemrc_pmu_event_del(struct perf_event *event, int flags)
{
	litemrc_pmu_event_stop(event, PERF_EF_UPDATE);
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(context, "config:8-15");
PMU_FORMAT_ATTR(rank, "config:16-23");

static struct attribute *format_attributes[] = { &format_attr_event.attr,
						 &format_attr_context.attr,
						 &format_attr_rank.attr, NULL };

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attributes,
};

PMU_EVENT_ATTR_STRING(accesses, event_accesses, "event=0");
PMU_EVENT_ATTR_STRING(misses, event_misses, "event=1");
PMU_EVENT_ATTR_STRING(hits, event_hits, "event=2");
PMU_EVENT_ATTR_STRING(dropped, event_dropped, "event=3");
PMU_EVENT_ATTR_STRING(rank_reads, event_rank_reads, "event=4");
PMU_EVENT_ATTR_STRING(rank_writes, event_rank_writes, "event=5");
PMU_EVENT_ATTR_STRING(dram_reads, event_dram_reads, "event=6");
PMU_EVENT_ATTR_STRING(dram_writes, event_dram_writes, "event=7");
PMU_EVENT_ATTR_STRING(dram_row_hits, event_dram_row_hits, "event=8");
PMU_EVENT_ATTR_STRING(dram_activates, event_dram_activates, "event=9");
PMU_EVENT_ATTR_STRING(dram_row_conflicts, event_dram_row_conflicts, "event=10");
PMU_EVENT_ATTR_STRING(dram_cycles, event_dram_cycles, "event=11");
PMU_EVENT_ATTR_STRING(dram_refreshes, event_dram_refreshes, "event=12");

/* perf multiplies the count of an event by its scale, and prints the unit. */
static ssize_t scale_show(struct device *device,
			  struct device_attribute *attribute, char *text)
{
	const struct litemrc_pmu *pmu = litemrc_to_pmu(dev_get_drvdata(device));

	return sysfs_emit(text, "%llue-20\n",
			  pmu->access_bytes * LITEMRC_PMU_BYTE_E20);
}

static struct device_attribute reads_scale =
	__ATTR(dram_reads.scale, 0444, scale_show, NULL);
static struct device_attribute writes_scale =
	__ATTR(dram_writes.scale, 0444, scale_show, NULL);
PMU_EVENT_ATTR_STRING(dram_reads.unit, reads_unit, "MiB");
PMU_EVENT_ATTR_STRING(dram_writes.unit, writes_unit, "MiB");

/* The events in the order of their numbers, then their scales and units. */
static struct attribute *event_attributes[] = {
	&event_accesses.attr.attr,
	&event_misses.attr.attr,
	&event_hits.attr.attr,
	&event_dropped.attr.attr,
	&event_rank_reads.attr.attr,
	&event_rank_writes.attr.attr,
	&event_dram_reads.attr.attr,
	&event_dram_writes.attr.attr,
	&event_dram_row_hits.attr.attr,
	&event_dram_activates.attr.attr,
	&event_dram_row_conflicts.attr.attr,
	&event_dram_cycles.attr.attr,
	&event_dram_refreshes.attr.attr,
	&reads_scale.attr,
	&writes_scale.attr,
	&reads_unit.attr.attr,
	&writes_unit.attr.attr,
	NULL
};

static umode_t litemrc_pmu_is_visible(struct kobject *kobj,
				      struct attribute *attribute, int number)
{
	const struct litemrc_pmu *pmu =
		litemrc_to_pmu(dev_get_drvdata(kobj_to_dev(kobj)));
	bool known = number < pmu->events;

	if (number >= LITEMRC_PMU_EVENTS)
		known = pmu->access_bytes;
	else if (number >= LITEMRC_PMU_OF_RANKS && number < LITEMRC_PMU_OF_DRAM)
		known = pmu->has_ranks;
	return known ? attribute->mode : 0;
}

static const struct attribute_group event_group = {
	.name = "events",
	.attrs = event_attributes,
	.is_visible = litemrc_pmu_is_visible,
};

/*
 * The processor on which perf opens an event: one, as the counters are not of a
 * processor.
 */
static ssize_t cpumask_show(struct device *device,
			    struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n", cpumask_first(cpu_online_mask));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *cpumask_attributes[] = { &dev_attr_cpumask.attr,
						  NULL };

static const struct attribute_group cpumask_group = {
	.attrs = cpumask_attributes,
};

static const struct attribute_group *pmu_groups[] = { &format_group,
						      &event_group,
						      &cpumask_group, NULL };

/* Caller holds @pmus_lock. */
static struct litemrc_pmu *litemrc_pmu_find(int id)
{
	struct litemrc_pmu *pmu;

	list_for_each_entry(pmu, &pmus, node)
		if (pmu->id == id)
			return pmu;
	return NULL;
}

/* What its monitor counts. */
static void litemrc_pmu_set_parameters(struct litemrc_pmu *pmu,
				       const struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;

	pmu->ranks = mon->client[LITEMRC_RANKS] ? mon->domains : 0;
	pmu->has_ranks = mon->rank_room;
	pmu->access_bytes = parameters->access_bytes;
	pmu->events = !parameters->banks	? LITEMRC_PMU_OF_DRAM :
		      parameters->rows_observed ? LITEMRC_PMU_EVENTS :
						  LITEMRC_PMU_OF_ROWS;
}

/*
 * Registers a PMU. Only probe() of its device comes here, hence no lock
 * meanwhile.
 */
static struct litemrc_pmu *litemrc_pmu_make(const struct litemrc *mon)
{
	int id = mon->id;
	struct litemrc_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);

	if (!pmu)
		return ERR_PTR(-ENOMEM);
	pmu->id = id;
	litemrc_pmu_set_parameters(pmu, mon);
	raw_spin_lock_init(&pmu->lock);
	snprintf(pmu->name, sizeof(pmu->name), id ? "litemrc%d" : "litemrc",
		 id);
	pmu->pmu = (struct pmu){
		.module = THIS_MODULE,
		.attr_groups = pmu_groups,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT |
				PERF_PMU_CAP_NO_EXCLUDE,
		.task_ctx_nr = perf_invalid_context,
		.event_init = litemrc_pmu_event_init,
		.add = litemrc_pmu_event_add,
		.del = litemrc_pmu_event_del,
		.start = litemrc_pmu_event_start,
		.stop = litemrc_pmu_event_stop,
		.read = litemrc_pmu_event_read,
	};
	if (perf_pmu_register(&pmu->pmu, pmu->name, -1)) {
		kfree(pmu);
		return ERR_PTR(-EINVAL);
	}
	mutex_lock(&pmus_lock);
	list_add(&pmu->node, &pmus);
	mutex_unlock(&pmus_lock);
	return pmu;
}

/**
 * litemrc_pmu_bind() - give the monitor a PMU, a new one or that of its number
 * @mon: the monitor, which works without, too
 */
void litemrc_pmu_bind(struct litemrc *mon)
{
	struct litemrc_pmu *pmu;

	mutex_lock(&pmus_lock);
	pmu = litemrc_pmu_find(mon->id);
	mutex_unlock(&pmus_lock);
	if (!pmu)
		pmu = litemrc_pmu_make(mon);
	if (IS_ERR(pmu)) {
		dev_warn(mon->dev, "no events of perf: %ld\n", PTR_ERR(pmu));
		return;
	}
	mutex_lock(&pmus_lock);
	pmu->contexts = mon->parameters.contexts;
	litemrc_pmu_set_parameters(pmu, mon);
	mutex_unlock(&pmus_lock);
	WRITE_ONCE(mon->pmu, pmu);
}

/**
 * litemrc_pmu_update() - a module that adds to the monitor has come, or gone
 * @mon: the monitor
 */
void litemrc_pmu_update(struct litemrc *mon)
{
	mutex_lock(&pmus_lock);
	if (mon->pmu)
		litemrc_pmu_set_parameters(mon->pmu, mon);
	mutex_unlock(&pmus_lock);
}

/**
 * litemrc_pmu_unbind() - let no further event be opened
 * @mon: the monitor
 *
 * Those that are open keep their counts.
 */
void litemrc_pmu_unbind(struct litemrc *mon)
{
	if (!mon->pmu)
		return;
	mutex_lock(&pmus_lock);
	mon->pmu->contexts = 0;
	mutex_unlock(&pmus_lock);
}

static u64 *litemrc_pmu_dram_total(struct litemrc_pmu *pmu,
				   enum litemrc_pmu_event event)
{
	return &pmu->dram[event - LITEMRC_PMU_OF_DRAM];
}

static void litemrc_pmu_add_dram(struct litemrc_pmu *pmu,
				 const struct litemrc *mon,
				 const struct litemrc_epoch *record)
{
	u32 number;

	for (number = 0; number < mon->parameters.banks; number++) {
		const struct litemrc_bank *bank =
			litemrc_record_bank(record, number);

		*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_READS) +=
			bank->reads;
		*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_WRITES) +=
			bank->writes;
		*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_ROW_HITS) +=
			bank->row_hits;
		*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_ACTIVATES) +=
			bank->activates;
		*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_ROW_CONFLICTS) +=
			bank->row_conflicts;
	}
	*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_CYCLES) += record->cycles;
	*litemrc_pmu_dram_total(pmu, LITEMRC_PMU_DRAM_REFRESHES) +=
		record->refreshes;
}

/**
 * litemrc_pmu_add() - add the counters of a finished epoch
 * @mon: the monitor
 * @record: of the epoch
 */
void litemrc_pmu_add(struct litemrc *mon, const struct litemrc_epoch *record)
{
	struct litemrc_pmu *pmu = READ_ONCE(mon->pmu);
	const struct litemrc_rank *of;
	unsigned long flags;
	u32 context, rank, ranks;

	if (!pmu)
		return;
	raw_spin_lock_irqsave(&pmu->lock, flags);
	for (context = 0; context < mon->parameters.contexts; context++) {
		const u32 *row = litemrc_record_counts(record, context);
		u32 accesses = row[LITEMRC_ROW_ACCESSES(record->groups)];
		u32 misses = row[LITEMRC_ROW_MISSES(record->groups)];

		pmu->context[context][LITEMRC_PMU_ACCESSES] += accesses;
		pmu->context[context][LITEMRC_PMU_MISSES] += misses;
		pmu->context[context][LITEMRC_PMU_HITS] += accesses - misses;
	}
	pmu->dropped += record->dropped;
	of = litemrc_part(record, LITEMRC_PART_RANKS, &ranks);
	for (rank = 0; rank < ranks; rank++) {
		pmu->rank[rank][0] += of[rank].counters[LITEMRC_METER_READS];
		pmu->rank[rank][1] += of[rank].counters[LITEMRC_METER_WRITES];
	}
	litemrc_pmu_add_dram(pmu, mon, record);
	raw_spin_unlock_irqrestore(&pmu->lock, flags);
}

/**
 * litemrc_pmus_free() - free all PMUs: the module is unloaded, and no event is
 * open
 */
void litemrc_pmus_free(void)
{
	struct litemrc_pmu *pmu, *next;

	list_for_each_entry_safe(pmu, next, &pmus, node) {
		perf_pmu_unregister(&pmu->pmu);
		kfree(pmu);
	}
}
