// SPDX-License-Identifier: GPL-2.0
/* Finds the rank meter and rank power of the monitor's memory. */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/pfn.h>
#include <linux/slab.h>
#include <asm/page.h>

#include "ranks.h"

#define PUT(name, value) LITEMRC_PUT(RANKS_##name, value)
#define GET(word, name) LITEMRC_FIELD(word, RANKS_##name)

const char *const litemrc_rank_state_names[LITEMRC_RANK_STATES] = {
	/* awake, whether or not a row is open */
	[LITEMRC_POWER_ACTIVE_STANDBY] = "active",
	[LITEMRC_POWER_POWER_DOWN] = "power_down",
	[LITEMRC_POWER_SELF_REFRESH] = "self_refresh",
	[LITEMRC_POWER_SELF_REFRESH_PARTIAL] = "self_refresh_partial",
};

const char *const litemrc_rank_policy_names[LITEMRC_POLICY_MRC + 1] = {
	[LITEMRC_POLICY_NONE] = "none",
	[LITEMRC_POLICY_STATIC] = "static",
	[LITEMRC_POLICY_DYNAMIC] = "dynamic",
	[LITEMRC_POLICY_MRC] = "mrc",
};

/* Maps a range of the node, which must have as many bytes at least. */
static int litemrc_ranks_map_range(struct litemrc *mon,
				   struct device_node *node, int number,
				   resource_size_t least, void __iomem **mapped)
{
	struct resource *range = &mon->ranks->range[number];
	int ret;

	ret = of_address_to_resource(node, number, range);
	if (ret)
		return dev_err_probe(mon->dev, ret, "%pOF: no reg %d\n", node,
				     number);
	if (resource_size(range) < least)
		return dev_err_probe(mon->dev, -EINVAL,
				     "%pOF: reg %d: %pR is shorter than %pa bytes\n",
				     node, number, range, &least);
	*mapped = of_io_request_and_map(node, number, "litemrc_ranks");
	if (!IS_ERR(*mapped))
		return 0;
	ret = PTR_ERR(*mapped);
	*mapped = NULL;
	return ret;
}

/**
 * litemrc_ranks_free() - undo litemrc_ranks_find()
 * @mon: the monitor
 *
 * Not by devres: the unit is used until the monitor, or this module, goes.
 */
void litemrc_ranks_free(struct litemrc *mon)
{
	struct litemrc_ranks *ranks = mon->ranks;
	void __iomem *mapped[] = { ranks->mmio.registers, ranks->mmio.window };
	unsigned int number;

	for (number = 0; number < ARRAY_SIZE(mapped); number++) {
		if (!mapped[number])
			continue;
		iounmap(mapped[number]);
		release_mem_region(ranks->range[number].start,
				   resource_size(&ranks->range[number]));
	}
	mon->ranks = NULL;
	kfree(ranks);
}

/*
 * Returns the node of the ranks of the monitor's memory, with a reference, or
 * NULL.
 */
static struct device_node *litemrc_ranks_find_node(struct litemrc *mon)
{
	struct device_node *watched =
		of_parse_phandle(mon->dev->of_node, "litex,memory", 0);
	struct device_node *node, *memory;

	for_each_compatible_node(node, NULL, "litex,litemrc-ranks-1") {
		memory = of_parse_phandle(node, "litex,memory", 0);
		of_node_put(memory);
		if (memory == watched && of_device_is_available(node))
			break;
	}
	of_node_put(watched);
	return node;
}

static int litemrc_ranks_read_clock(struct litemrc *mon, u32 *hz)
{
	struct device_node *cpu = of_get_cpu_node(0, NULL);
	int ret = of_property_read_u32(cpu, "clock-frequency", hz);

	of_node_put(cpu);
	if (ret || !*hz)
		return dev_err_probe(mon->dev, -EINVAL,
				     "no clock-frequency of cpu@0\n");
	return 0;
}

static int litemrc_ranks_use_node(struct litemrc *mon, struct device_node *node)
{
	struct litemrc_ranks *ranks = mon->ranks;
	struct litemrc_mmio *mmio = &ranks->mmio;
	const char *part = "";
	int ret;

	ret = litemrc_ranks_map_range(mon, node, 0,
				      LITEMRC_RANKS_SNAPSHOT_CLOCKS +
					      sizeof(u32),
				      &mmio->registers);
	if (ret)
		return ret;
	ret = litemrc_ranks_map_range(mon, node, 1,
				      mon->parameters.ranks *
					      LITEMRC_METER_ROW * sizeof(u32),
				      &mmio->window);
	if (ret)
		return ret;
	of_property_read_string(node, "litex,dram-part", &part);
	strscpy(ranks->dram.part, part, sizeof(ranks->dram.part));
	of_property_read_u32(node, "litex,dram-chips", &ranks->dram.chips);
	of_property_read_u32(node, "litex,dram-phases", &ranks->dram.phases);
	ranks->ops = &litemrc_mmio_ops;
	ranks->io = mmio;
	return litemrc_ranks_read_clock(mon, &ranks->dram.clock_hz);
}

static int litemrc_ranks_check_gateware(struct litemrc *mon)
{
	struct litemrc_ranks *ranks = mon->ranks;
	u32 version = litemrc_ranks_read(ranks, LITEMRC_RANKS_VERSION);
	u32 built = litemrc_ranks_read(ranks, LITEMRC_RANKS_CAPABILITIES);

	if (version != LITEMRC_RANKS_REGS_VERSION)
		return dev_err_probe(mon->dev, -ENODEV,
				     "rank registers of version %u, expected %u\n",
				     version, LITEMRC_RANKS_REGS_VERSION);
	ranks->domains =
		BIT(LITEMRC_FIELD(built, RANKS_CAPABILITIES_DOMAINS_LOG2));
	ranks->virtual = LITEMRC_FIELD(built, RANKS_CAPABILITIES_VIRTUAL);
	ranks->states = LITEMRC_FIELD(built, RANKS_CAPABILITIES_STATES);
	if (ranks->domains > LITEMRC_RANKS_MAX)
		return dev_err_probe(mon->dev, -ENODEV,
				     "%u power domains, supported are %u\n",
				     ranks->domains, LITEMRC_RANKS_MAX);
	mon->parameters.ranks = ranks->domains;
	mon->domains = ranks->domains;
	return 0;
}

/**
 * litemrc_ranks_find() - find the rank meter of the monitor's memory
 * @mon: the monitor, its parameters read
 *
 * Return: 0, also without a rank meter; -ENOMEM, or an error of its description
 */
int litemrc_ranks_find(struct litemrc *mon)
{
	const struct litemrc_platform_data *data = dev_get_platdata(mon->dev);
	struct device_node *node;
	int ret = 0;

	mon->ranks = kzalloc(sizeof(*mon->ranks), GFP_KERNEL);
	if (!mon->ranks)
		return -ENOMEM;
	if (data) {
		mon->ranks->ops = data->rank_ops;
		mon->ranks->io = data->rank_io;
		mon->ranks->dram = data->dram;
	} else {
		node = litemrc_ranks_find_node(mon);
		if (node)
			ret = litemrc_ranks_use_node(mon, node);
		of_node_put(node);
	}
	if (!ret && mon->ranks->ops)
		ret = litemrc_ranks_check_gateware(mon);
	if (ret)
		litemrc_ranks_free(mon);
	return ret;
}

/**
 * litemrc_ranks_quiet() - wake all ranks and set no policy: no data may be lost
 * @mon: the monitor
 */
void litemrc_ranks_quiet(struct litemrc *mon)
{
	struct litemrc_ranks *ranks = mon->ranks;
	u32 domain;

	if (!ranks->ops)
		return;
	litemrc_ranks_write(ranks, LITEMRC_RANKS_PARTIAL_ALLOWED, 0);
	litemrc_ranks_write(ranks, LITEMRC_RANKS_POLICY,
			    litemrc_ranks_read(ranks, LITEMRC_RANKS_POLICY) &
				    ~LITEMRC_RANKS_POLICY_KIND);
	for (domain = 0; domain < ranks->domains; domain++)
		litemrc_ranks_write(ranks, LITEMRC_RANKS_COMMAND,
				    PUT(COMMAND_DOMAIN, domain));
}

/* Page frames of a rank. */
static u32 litemrc_rank_frames(const struct litemrc *mon)
{
	return mon->parameters.frames / mon->ranks->domains;
}

/**
 * litemrc_rank_state() - read a rank's state
 * @mon: the monitor
 * @rank: number of the rank
 *
 * The 64-bit register has its upper word first.
 *
 * Return: LITEMRC_POWER_*
 */
u32 litemrc_rank_state(const struct litemrc *mon, unsigned int rank)
{
	unsigned int bit = rank * LITEMRC_RANKS_STATE_BITS;
	u32 word = litemrc_ranks_read(mon->ranks,
				      LITEMRC_RANKS_STATE +
					      (bit < 32 ? sizeof(u32) : 0));

	return word >> (bit % 32) & (BIT(LITEMRC_RANKS_STATE_BITS) - 1);
}

static const unsigned int thresholds[] = {
	LITEMRC_RANKS_THRESHOLD_POWER_DOWN,
	LITEMRC_RANKS_THRESHOLD_SELF_REFRESH,
};

static bool litemrc_rank_can_reach(const struct litemrc *mon, u32 state)
{
	return mon->ranks->states >> state & 1;
}

/* The kernel's image would wake the rank at once. */
static bool litemrc_rank_holds_kernel(const struct litemrc *mon,
				      unsigned int rank)
{
	unsigned long first = mon->first_pfn + rank * litemrc_rank_frames(mon);
	unsigned long kernel = PHYS_PFN(kernel_map.phys_addr);

	return kernel >= first && kernel < first + litemrc_rank_frames(mon);
}

/**
 * litemrc_rank_set_state() - send a rank to a state as soon as it is idle; an
 * access wakes it
 * @mon: the monitor
 * @rank: number of the rank; of virtual ranks all change their state
 * @state: LITEMRC_POWER_*
 *
 * Context: Caller holds @mon->settings.
 * Return: 0; -ENODEV for a state that cannot be reached; -EBUSY if the rank
 * holds the kernel, or if pages that the kernel may use would be lost
 */
int litemrc_rank_set_state(struct litemrc *mon, unsigned int rank, u32 state)
{
	if (!litemrc_rank_can_reach(mon, state))
		return -ENODEV;
	if (state == LITEMRC_POWER_SELF_REFRESH_PARTIAL)
		return -EBUSY;
	if (state != LITEMRC_POWER_ACTIVE_STANDBY &&
	    litemrc_rank_holds_kernel(mon, rank))
		return -EBUSY;
	litemrc_ranks_write(mon->ranks, LITEMRC_RANKS_COMMAND,
			    PUT(COMMAND_DOMAIN, rank) |
				    PUT(COMMAND_STATE, state));
	return 0;
}

/**
 * litemrc_rank_get_policy() - read the sleep policy
 * @mon: the monitor
 * @policy: set to it
 */
void litemrc_rank_get_policy(const struct litemrc *mon,
			     struct litemrc_rank_policy *policy)
{
	u32 word = litemrc_ranks_read(mon->ranks, LITEMRC_RANKS_POLICY);
	unsigned int i;

	policy->kind = GET(word, POLICY_KIND);
	policy->static_state = GET(word, POLICY_STATIC_STATE);
	policy->mrc_state = GET(word, POLICY_MRC_STATE);
	policy->mrc_base = GET(word, POLICY_MRC_BASE);
	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		policy->threshold[i] =
			litemrc_ranks_read(mon->ranks, thresholds[i]);
}

/**
 * litemrc_rank_set_policy() - set the sleep policy
 * @mon: the monitor
 * @policy: the policy
 *
 * Context: Caller holds @mon->settings.
 * Return: 0; -EINVAL if mrc is its own base; -ENODEV for a state that cannot be
 * reached
 */
int litemrc_rank_set_policy(struct litemrc *mon,
			    const struct litemrc_rank_policy *policy)
{
	unsigned int i;

	if (policy->mrc_base == LITEMRC_POLICY_MRC)
		return -EINVAL;
	if (!litemrc_rank_can_reach(mon, policy->static_state) ||
	    !litemrc_rank_can_reach(mon, policy->mrc_state))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		litemrc_ranks_write(mon->ranks, thresholds[i],
				    policy->threshold[i]);
	litemrc_ranks_write(mon->ranks, LITEMRC_RANKS_POLICY,
			    PUT(POLICY_KIND, policy->kind) |
				    PUT(POLICY_STATIC_STATE,
					policy->static_state) |
				    PUT(POLICY_MRC_STATE, policy->mrc_state) |
				    PUT(POLICY_MRC_BASE, policy->mrc_base));
	return 0;
}

/**
 * litemrc_get_working_set() - read how the working set is found
 * @mon: the monitor
 * @set: set to it
 */
void litemrc_get_working_set(const struct litemrc *mon,
			     struct litemrc_working_set *set)
{
	u32 word = litemrc_ranks_read(mon->ranks, LITEMRC_RANKS_N_MRC_AUTO);

	set->automatic = GET(word, N_MRC_AUTO_ENABLE);
	set->epsilon = GET(word, N_MRC_AUTO_EPSILON);
	set->groups = litemrc_ranks_read(mon->ranks, LITEMRC_RANKS_N_MRC);
}

/**
 * litemrc_set_working_set() - set how the working set is found
 * @mon: the monitor
 * @set: how
 *
 * Context: Caller holds @mon->settings.
 * Return: 0 or -EINVAL
 */
int litemrc_set_working_set(struct litemrc *mon,
			    const struct litemrc_working_set *set)
{
	if (set->automatic > 1 || set->groups > mon->parameters.groups ||
	    set->epsilon > U16_MAX)
		return -EINVAL;
	litemrc_ranks_write(mon->ranks, LITEMRC_RANKS_N_MRC, set->groups);
	litemrc_ranks_write(mon->ranks, LITEMRC_RANKS_N_MRC_AUTO,
			    PUT(N_MRC_AUTO_ENABLE, set->automatic) |
				    PUT(N_MRC_AUTO_EPSILON, set->epsilon));
	return 0;
}

static void litemrc_ranks_fill_one(struct litemrc *mon,
				   struct litemrc_rank *rank,
				   unsigned int number)
{
	struct litemrc_ranks *ranks = mon->ranks;
	unsigned int word;

	rank->state = litemrc_rank_state(mon, number);
	rank->working =
		litemrc_ranks_read(ranks, LITEMRC_RANKS_WORKING) >> number & 1;
	/* Linux may use any of them */
	rank->live_pages = litemrc_rank_frames(mon);
	rank->flags = 0;
	if (litemrc_ranks_read(ranks, LITEMRC_RANKS_METER_STATUS) &
	    LITEMRC_RANKS_METER_STATUS_OVERFLOW)
		rank->flags |= LITEMRC_RANK_OVERFLOW;
	rank->cycles = litemrc_ranks_read(ranks, LITEMRC_RANKS_SNAPSHOT_CLOCKS);
	ranks->ops->window(ranks->io, number * LITEMRC_METER_ROW,
			   rank->counters, LITEMRC_METER_ROW);
	for (word = 0; word < LITEMRC_METER_ROW; word++)
		ranks->total[number][word] += rank->counters[word];
}

/**
 * litemrc_ranks_fill() - read the meter's window into the record of its epoch
 * @mon: the monitor; the epoch is not released
 * @record: its sizes are set
 *
 * Context: Caller holds @mon->ring.lock.
 */
void litemrc_ranks_fill(struct litemrc *mon, struct litemrc_epoch *record)
{
	unsigned int rank;

	lockdep_assert_held(&mon->ring.lock);
	for (rank = 0; rank < mon->ranks->domains; rank++)
		litemrc_ranks_fill_one(mon, litemrc_record_rank(record, rank),
				       rank);
}

/**
 * litemrc_rank_total() - sum of a counter of the meter over all epochs since
 * load
 * @mon: the monitor
 * @rank: number of the rank
 * @word: LITEMRC_METER_*
 *
 * Return: the sum
 */
u64 litemrc_rank_total(struct litemrc *mon, unsigned int rank,
		       unsigned int word)
{
	u64 total;

	mutex_lock(&mon->ring.lock);
	total = mon->ranks->total[rank][word];
	mutex_unlock(&mon->ring.lock);
	return total;
}

/**
 * litemrc_rank_us() - convert cycles of the meter to microseconds
 * @mon: the monitor
 * @cycles: of the system clock
 *
 * Return: the microseconds
 */
u64 litemrc_rank_us(const struct litemrc *mon, u64 cycles)
{
	return mul_u64_u32_div(cycles, USEC_PER_SEC, mon->ranks->dram.clock_hz);
}
