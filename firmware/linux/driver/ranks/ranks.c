// SPDX-License-Identifier: GPL-2.0
/* Finds the rank meter and rank power of the monitor's memory. */
#include <linux/bits.h>
#include <linux/of.h>
#include <linux/of_address.h>

#include "litemrc.h"

const char *const litemrc_rank_state_names[LITEMRC_RANK_STATES] = {
	[LITEMRC_POWER_ACTIVE_STANDBY] = "active", /* awake, whether or not a row is open */
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

/* Returns the number of a name, or -EINVAL. */
int litemrc_name_number(const char *const *names, unsigned int count, const char *name,
			size_t length)
{
	unsigned int number;

	for (number = 0; number < count; number++)
		if (names[number] && strlen(names[number]) == length &&
		    !memcmp(names[number], name, length))
			return number;
	return -EINVAL;
}

/* Maps a range of the node, which must have as many bytes at least. */
static int litemrc_ranks_map_range(struct litemrc *mon, struct device_node *node, int number,
		     resource_size_t least, void __iomem **mapped)
{
	struct resource range;
	int ret;

	ret = of_address_to_resource(node, number, &range);
	if (ret)
		return dev_err_probe(mon->dev, ret, "%pOF: no reg %d\n", node, number);
	if (resource_size(&range) < least)
		return dev_err_probe(mon->dev, -EINVAL,
				     "%pOF: reg %d: %pR is shorter than %pa bytes\n", node, number,
				     &range, &least);
	*mapped = devm_ioremap_resource(mon->dev, &range);
	return PTR_ERR_OR_ZERO(*mapped);
}

/* Returns the node of the ranks of the monitor's memory, with a reference, or NULL. */
static struct device_node *litemrc_ranks_find_node(struct litemrc *mon)
{
	struct device_node *watched = of_parse_phandle(mon->dev->of_node, "litemrc,memory", 0);
	struct device_node *node, *memory;

	for_each_compatible_node(node, NULL, "litemrc,ranks-1") {
		memory = of_parse_phandle(node, "litemrc,memory", 0);
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
		return dev_err_probe(mon->dev, -EINVAL, "no clock-frequency of cpu@0\n");
	return 0;
}

static int litemrc_ranks_use_node(struct litemrc *mon, struct device_node *node)
{
	struct litemrc_ranks *ranks = &mon->ranks;
	struct litemrc_mmio *mmio;
	const char *part = "";
	int ret;

	mmio = devm_kzalloc(mon->dev, sizeof(*mmio), GFP_KERNEL);
	if (!mmio)
		return -ENOMEM;
	ret = litemrc_ranks_map_range(mon, node, 0, LITEMRC_RANKS_SNAPSHOT_CLOCKS + sizeof(u32),
			&mmio->registers);
	if (ret)
		return ret;
	ret = litemrc_ranks_map_range(mon, node, 1,
			mon->parameters.ranks * LITEMRC_METER_ROW * sizeof(u32), &mmio->window);
	if (ret)
		return ret;
	of_property_read_string(node, "litemrc,dram-part", &part);
	strscpy(ranks->dram.part, part, sizeof(ranks->dram.part));
	of_property_read_u32(node, "litemrc,dram-chips", &ranks->dram.chips);
	of_property_read_u32(node, "litemrc,dram-phases", &ranks->dram.phases);
	ranks->ops = &litemrc_mmio_ops;
	ranks->io = mmio;
	return litemrc_ranks_read_clock(mon, &ranks->dram.clock_hz);
}

static int litemrc_ranks_check_gateware(struct litemrc *mon)
{
	struct litemrc_ranks *ranks = &mon->ranks;
	u32 version = litemrc_ranks_read(ranks, LITEMRC_RANKS_VERSION);
	u32 built = litemrc_ranks_read(ranks, LITEMRC_RANKS_CAPABILITIES);

	if (version != LITEMRC_RANKS_REGS_VERSION)
		return dev_err_probe(mon->dev, -ENODEV,
				     "rank registers of version %u, expected %u\n", version,
				     LITEMRC_RANKS_REGS_VERSION);
	ranks->domains = BIT(LITEMRC_FIELD(built, RANKS_CAPABILITIES_DOMAINS_LOG2));
	ranks->virtual = built & LITEMRC_RANKS_CAPABILITIES_VIRTUAL;
	ranks->states = LITEMRC_FIELD(built, RANKS_CAPABILITIES_STATES);
	if (ranks->domains > LITEMRC_RANKS_MAX)
		return dev_err_probe(mon->dev, -ENODEV, "%u power domains, supported are %u\n",
				     ranks->domains, LITEMRC_RANKS_MAX);
	mon->parameters.ranks = ranks->domains;
	return 0;
}

/**
 * litemrc_ranks_find - find the rank meter of the monitor's memory
 * @mon: the monitor, its parameters read
 * @data: of a monitor that is not in the device tree; else NULL
 *
 * Return: 0, also without a rank meter, or an error of its description
 */
int litemrc_ranks_find(struct litemrc *mon, const struct litemrc_platform_data *data)
{
	struct device_node *node;
	int ret = 0;

	if (data) {
		mon->ranks.ops = data->rank_ops;
		mon->ranks.io = data->rank_io;
		mon->ranks.dram = data->dram;
	} else {
		node = litemrc_ranks_find_node(mon);
		if (node)
			ret = litemrc_ranks_use_node(mon, node);
		of_node_put(node);
	}
	return ret || !mon->ranks.ops ? ret : litemrc_ranks_check_gateware(mon);
}

/* Awake and without a policy; no data may be lost. */
void litemrc_ranks_quiet(struct litemrc *mon)
{
	struct litemrc_ranks *ranks = &mon->ranks;
	u32 domain;

	if (!ranks->ops)
		return;
	litemrc_ranks_write(ranks, LITEMRC_RANKS_PARTIAL_ALLOWED, 0);
	litemrc_ranks_write(ranks, LITEMRC_RANKS_POLICY,
			    litemrc_ranks_read(ranks, LITEMRC_RANKS_POLICY) &
				    ~LITEMRC_RANKS_POLICY_KIND);
	for (domain = 0; domain < ranks->domains; domain++)
		litemrc_ranks_write(ranks, LITEMRC_RANKS_COMMAND,
				    domain << LITEMRC_RANKS_COMMAND_DOMAIN_SHIFT);
}

/* Page frames of a rank. */
u32 litemrc_rank_frames(const struct litemrc *mon)
{
	return mon->parameters.frames / mon->ranks.domains;
}

/* Returns a rank's state now. The 64-bit register has its upper word first. */
u32 litemrc_rank_state(const struct litemrc *mon, unsigned int rank)
{
	unsigned int bit = rank * LITEMRC_RANKS_STATE_BITS;
	u32 word = litemrc_ranks_read(&mon->ranks,
				      LITEMRC_RANKS_STATE + (bit < 32 ? sizeof(u32) : 0));

	return word >> (bit % 32) & (BIT(LITEMRC_RANKS_STATE_BITS) - 1);
}
