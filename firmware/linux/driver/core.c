// SPDX-License-Identifier: GPL-2.0
/*
 * Probe and its undoing: finds the monitor and its memory, and sets up the
 * other files' parts.
 */
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "litemrc.h"

static DEFINE_IDA(litemrc_ids);
static const char *const litemrc_client_names[LITEMRC_CLIENTS] = {
	[LITEMRC_TAIL] = "litemrc_tail",
	[LITEMRC_RANKS] = "litemrc_ranks",
};

static LIST_HEAD(litemrc_monitors);
static const struct litemrc_client *litemrc_clients[LITEMRC_CLIENTS];
static DEFINE_MUTEX(litemrc_clients_lock); /* guards the two above; outermost */

/*
 * Maps a range of the node; one that is too short would be read beyond its end.
 */
static void __iomem *litemrc_map_range(struct platform_device *pdev,
				       unsigned int number,
				       resource_size_t least,
				       resource_size_t *bytes)
{
	struct resource *range =
		platform_get_resource(pdev, IORESOURCE_MEM, number);

	if (range && resource_size(range) < least) {
		dev_err(&pdev->dev, "reg %u: %pR is shorter than %pa bytes\n",
			number, range, &least);
		return IOMEM_ERR_PTR(-EINVAL);
	}
	if (range)
		*bytes = resource_size(range);
	return devm_platform_ioremap_resource(pdev, number);
}

static int litemrc_use_device_tree(struct platform_device *pdev,
				   struct litemrc *mon)
{
	struct device_node *node;
	struct litemrc_mmio *mmio;
	struct resource memory;
	resource_size_t bytes;
	int ret;

	mmio = devm_kzalloc(&pdev->dev, sizeof(*mmio), GFP_KERNEL);
	if (!mmio)
		return -ENOMEM;
	mmio->registers = litemrc_map_range(pdev, 0,
					    LITEMRC_EV_ENABLE + sizeof(u32),
					    &bytes);
	if (IS_ERR(mmio->registers))
		return PTR_ERR(mmio->registers);
	mmio->window =
		litemrc_map_range(pdev, 1, sizeof(u32), &mmio->window_bytes);
	if (IS_ERR(mmio->window))
		return PTR_ERR(mmio->window);
	node = of_parse_phandle(pdev->dev.of_node, "litex,memory", 0);
	if (!node)
		return dev_err_probe(&pdev->dev, -EINVAL,
				     "no phandle litex,memory\n");
	ret = of_address_to_resource(node, 0, &memory);
	of_node_put(node);
	if (ret)
		return dev_err_probe(&pdev->dev, ret,
				     "litex,memory has no address\n");
	if (!PAGE_ALIGNED(memory.start))
		return dev_err_probe(&pdev->dev, -EINVAL,
				     "litex,memory: %pR begins in a page\n",
				     &memory);
	mon->ops = &litemrc_mmio_ops;
	mon->io = mmio;
	mon->registers = mmio->registers;
	mon->first_pfn = PHYS_PFN(memory.start);
	return 0;
}

/* The window of as many contexts and groups as the gateware has. */
static int litemrc_check_window(struct litemrc *mon)
{
	const struct litemrc_parameters *parameters = &mon->parameters;
	u32 words = litemrc_window_end(parameters);
	const struct litemrc_mmio *mmio = mon->io;

	if (mmio->window_bytes < words * sizeof(u32))
		return dev_err_probe(mon->dev, -EINVAL,
				     "reg 1 has %pa bytes, %u contexts of %u groups%s%s%s need %zu\n",
				     &mmio->window_bytes, parameters->contexts,
				     parameters->groups,
				     parameters->page_bitmap ?
					     " and the frames' bits" :
					     "",
				     parameters->hot_pages ? " and hot pages" :
							     "",
				     parameters->banks ? " and banks" : "",
				     words * sizeof(u32));
	return 0;
}

/* Whose they are decides litemrc_ranks; a record needs room for them. */
static bool litemrc_has_ranks(const struct litemrc_platform_data *data)
{
	struct device_node *node;

	if (data)
		return data->rank_ops;
	node = of_find_compatible_node(NULL, NULL, "litex,litemrc-ranks-1");
	of_node_put(node);
	return node;
}

static int litemrc_find_hardware(struct platform_device *pdev,
				 struct litemrc *mon)
{
	const struct litemrc_platform_data *data = dev_get_platdata(&pdev->dev);
	int ret;

	if (data) {
		mon->ops = data->ops;
		mon->io = data->io;
		mon->first_pfn = PHYS_PFN(data->memory);
	} else {
		ret = litemrc_use_device_tree(pdev, mon);
		if (ret)
			return ret;
	}
	mon->irq = platform_get_irq(pdev, 0);
	if (mon->irq < 0)
		return mon->irq;
	ret = litemrc_read_parameters(mon);
	if (!ret && !data)
		ret = litemrc_check_window(mon);
	mon->rank_room = litemrc_has_ranks(data) ? LITEMRC_RANKS_MAX : 0;
	return ret;
}

/*
 * Resets what an earlier driver or firmware left: disabled, context 0, window
 * free and held.
 */
static void litemrc_quiet_hardware(struct litemrc *mon)
{
	litemrc_set_events(mon, U32_MAX, 0);
	litemrc_write(mon, LITEMRC_CONTROL, LITEMRC_CONTROL_HOLD);
	litemrc_write(mon, LITEMRC_CONTEXT, 0);
	litemrc_write(mon, LITEMRC_COMMAND,
		      LITEMRC_COMMAND_RELEASE | LITEMRC_COMMAND_ACKNOWLEDGE);
	litemrc_write(mon, LITEMRC_EV_PENDING, LITEMRC_EV_PENDING_EPOCH);
	litemrc_hot_quiet(mon);
	mon->ring.stored = litemrc_read(mon, LITEMRC_EPOCH);
	mon->ring.ended_ns = ktime_get_ns();
}

/*
 * The gateware does not complete a command in time; litemrc_set_stuck() could
 * not print.
 */
static void litemrc_report_stuck(struct irq_work *work)
{
	struct litemrc *mon = container_of(work, struct litemrc, stuck_work);

	dev_err(mon->dev,
		"the gateware did not complete a command within %u us\n",
		mon->timeout_us);
	wake_up_all(&mon->ring.wait);
}

/*
 * The monitor is in use from misc_register() on: after a failure call
 * litemrc_shut_down().
 */
static int litemrc_add_user_interface(struct litemrc *mon)
{
	struct kobject *kobj;
	int ret;

	snprintf(mon->name, sizeof(mon->name), "litemrc%d", mon->id);
	mon->misc.minor = MISC_DYNAMIC_MINOR;
	mon->misc.name = mon->name;
	mon->misc.fops = &litemrc_fops;
	mon->misc.parent = mon->dev;
	mon->misc.groups = litemrc_groups;
	ret = misc_register(&mon->misc);
	if (ret)
		return ret;
	kobj = &mon->misc.this_device->kobj;
	WRITE_ONCE(mon->epoch_node, sysfs_get_dirent(kobj->sd, "epoch"));
	ret = litemrc_add_folders(mon, &mon->contexts, "contexts",
				  mon->parameters.contexts,
				  &litemrc_context_group);
	if (ret)
		misc_deregister(&mon->misc);
	return ret;
}

/* On return no attribute is being read or written, and none will be. */
static void litemrc_remove_user_interface(struct litemrc *mon)
{
	litemrc_remove_folders(&mon->contexts);
	misc_deregister(&mon->misc);
}

/*
 * Undoes what probe and users did, and drops the driver's reference. The files
 * are gone.
 */
static void litemrc_shut_down(struct litemrc *mon)
{
	unsigned int context;

	litemrc_bitmap_stop(mon);
	mutex_lock(&mon->settings);
	litemrc_enable(mon, false);
	for (context = 1; context < mon->parameters.contexts; context++)
		litemrc_free_context(mon, context);
	mutex_unlock(&mon->settings);
	litemrc_hot_quiet(mon);
	litemrc_moved_stop(mon);
	/* the next line waits for who has read it */
	dev_set_drvdata(mon->dev, NULL);
	litemrc_follow_stop(mon);
	litemrc_set_events(mon, U32_MAX, 0);
	free_irq(mon->irq, mon);
	/* its thread may have enabled one */
	litemrc_set_events(mon, U32_MAX, 0);
	litemrc_pmu_unbind(mon);
	/* the next monitor of this number takes the PMU */
	ida_free(&litemrc_ids, mon->id);
	irq_work_sync(&mon->stuck_work);
	sysfs_put(mon->epoch_node);
	litemrc_ring_stop(mon);
	litemrc_put(mon);
}

/* Its calls begin, or end: none is under way on return. */
static void litemrc_set_client(struct litemrc *mon,
			       enum litemrc_client_kind kind,
			       const struct litemrc_client *client)
{
	unsigned long flags;

	mutex_lock(&mon->settings);
	mutex_lock(&mon->ring.lock);
	raw_spin_lock_irqsave(&mon->lock, flags);
	mon->client[kind] = client;
	raw_spin_unlock_irqrestore(&mon->lock, flags);
	mutex_unlock(&mon->ring.lock);
	if (client && client->changed)
		client->changed(mon);
	mutex_unlock(&mon->settings);
	litemrc_pmu_update(mon);
}

static void litemrc_attach(struct litemrc *mon, enum litemrc_client_kind kind)
{
	int ret;

	if (!litemrc_clients[kind])
		return;
	ret = litemrc_clients[kind]->add(mon);
	if (ret)
		dev_warn(mon->dev, "%s adds nothing: %d\n",
			 litemrc_client_names[kind], ret);
	else
		litemrc_set_client(mon, kind, litemrc_clients[kind]);
}

static void litemrc_detach(struct litemrc *mon, enum litemrc_client_kind kind)
{
	const struct litemrc_client *client = mon->client[kind];

	if (!client)
		return;
	litemrc_set_client(mon, kind, NULL);
	client->remove(mon);
}

/**
 * litemrc_client_register() - have a module add to all monitors, present and
 * future
 * @kind: what it adds
 * @client: its functions
 *
 * Return: 0, or -EBUSY if there is one of this kind
 */
int litemrc_client_register(enum litemrc_client_kind kind,
			    const struct litemrc_client *client)
{
	struct litemrc *mon;
	int ret = 0;

	mutex_lock(&litemrc_clients_lock);
	if (litemrc_clients[kind]) {
		ret = -EBUSY;
	} else {
		litemrc_clients[kind] = client;
		list_for_each_entry(mon, &litemrc_monitors, node)
			litemrc_attach(mon, kind);
	}
	mutex_unlock(&litemrc_clients_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(litemrc_client_register);

/**
 * litemrc_client_unregister() - take a module from all monitors
 * @kind: as it was registered
 */
void litemrc_client_unregister(enum litemrc_client_kind kind)
{
	struct litemrc *mon;

	mutex_lock(&litemrc_clients_lock);
	list_for_each_entry(mon, &litemrc_monitors, node)
		litemrc_detach(mon, kind);
	litemrc_clients[kind] = NULL;
	mutex_unlock(&litemrc_clients_lock);
}
EXPORT_SYMBOL_GPL(litemrc_client_unregister);

static void litemrc_add_to_clients(struct litemrc *mon)
{
	unsigned int kind;

	mutex_lock(&litemrc_clients_lock);
	list_add(&mon->node, &litemrc_monitors);
	for (kind = 0; kind < LITEMRC_CLIENTS; kind++)
		litemrc_attach(mon, kind);
	mutex_unlock(&litemrc_clients_lock);
}

static void litemrc_remove_from_clients(struct litemrc *mon)
{
	unsigned int kind;

	mutex_lock(&litemrc_clients_lock);
	for (kind = 0; kind < LITEMRC_CLIENTS; kind++)
		litemrc_detach(mon, kind);
	list_del(&mon->node);
	mutex_unlock(&litemrc_clients_lock);
}

/*
 * The end of the device: an action, as the type of a driver's remove() differs
 * between kernels.
 */
static void litemrc_remove(void *data)
{
	litemrc_remove_from_clients(data);
	/*
	 * A write in progress may wait for an epoch: free the interrupt after
	 * the files.
	 */
	litemrc_remove_user_interface(data);
	litemrc_shut_down(data);
}

static int litemrc_probe(struct platform_device *pdev)
{
	struct litemrc *mon;
	int ret;

	mon = kzalloc(sizeof(*mon), GFP_KERNEL);
	if (!mon)
		return -ENOMEM;
	mon->id = ida_alloc(&litemrc_ids, GFP_KERNEL);
	if (mon->id < 0) {
		ret = mon->id;
		kfree(mon);
		return ret;
	}
	kref_init(&mon->kref);
	INIT_LIST_HEAD(&mon->consumer);
	raw_spin_lock_init(&mon->lock);
	raw_spin_lock_init(&mon->events_lock);
	mutex_init(&mon->settings);
	init_irq_work(&mon->stuck_work, litemrc_report_stuck);
	litemrc_moved_init(mon);
	mon->dev = &pdev->dev;
	mon->loaded = ktime_get();
	ret = litemrc_find_hardware(pdev, mon);
	if (ret)
		goto put;
	ret = litemrc_follow_init(mon);
	if (ret)
		goto put;
	ret = litemrc_owners_init(mon);
	if (ret)
		goto put;
	ret = litemrc_probes_find(mon);
	if (ret)
		goto put;
	ret = litemrc_ring_init(mon);
	if (ret)
		goto put;
	ret = litemrc_bitmap_init(mon);
	if (ret)
		goto put;
	ret = litemrc_hot_init(mon);
	if (ret)
		goto put;
	litemrc_quiet_hardware(mon);
	ret = request_threaded_irq(mon->irq, litemrc_epoch_interrupt,
				   litemrc_epoch_thread, 0,
				   dev_name(&pdev->dev), mon);
	if (ret)
		goto put;
	ret = litemrc_follow_start(mon);
	if (ret)
		goto free_interrupt;
	dev_set_drvdata(mon->dev, mon);
	/* Users find a monitor that works, as soon as they find one. */
	litemrc_set_events(mon, LITEMRC_EV_ENABLE_EPOCH,
			   LITEMRC_EV_ENABLE_EPOCH);
	ret = litemrc_add_user_interface(mon);
	if (ret) {
		litemrc_shut_down(mon);
		return ret;
	}
	litemrc_pmu_bind(mon);
	litemrc_add_to_clients(mon);
	return devm_add_action_or_reset(&pdev->dev, litemrc_remove, mon);

free_interrupt:
	free_irq(mon->irq, mon);
put:
	litemrc_bitmap_stop(mon);
	ida_free(&litemrc_ids, mon->id);
	litemrc_put(mon);
	return ret;
}

static const struct of_device_id litemrc_of_match[] = {
	{ .compatible = "litex,litemrc-monitor-5" },
	{}
};
MODULE_DEVICE_TABLE(of, litemrc_of_match);

static struct platform_driver litemrc_driver = {
	.probe = litemrc_probe,
	.driver = {
		.name = "litemrc",
		.of_match_table = litemrc_of_match,
	},
};

static int __init litemrc_init(void)
{
	return platform_driver_register(&litemrc_driver);
}
module_init(litemrc_init);

static void __exit litemrc_exit(void)
{
	platform_driver_unregister(&litemrc_driver);
	litemrc_pmus_free();
}
module_exit(litemrc_exit);

MODULE_DESCRIPTION("LiteMRC memory monitor");
MODULE_VERSION("1.0.0");
MODULE_LICENSE("GPL");
MODULE_ALIAS("platform:litemrc");
