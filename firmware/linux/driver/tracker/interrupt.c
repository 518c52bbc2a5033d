// SPDX-License-Identifier: GPL-2.0
/* The interrupt: a level, sampled once a jiffy, and outside of the driver's locks. */
#include <linux/interrupt.h>
#include <linux/irq.h>

#include "tracker.h"

static void mask(struct irq_data *data)
{
	struct tracker *tracker = data->domain->host_data;

	WRITE_ONCE(tracker->masked, true);
}

static void unmask(struct irq_data *data)
{
	struct tracker *tracker = data->domain->host_data;

	WRITE_ONCE(tracker->masked, false);
}

static struct irq_chip tracker_chip = {
	.name = "litemrc_os",
	.irq_mask = mask,
	.irq_unmask = unmask,
};

static int map(struct irq_domain *domain, unsigned int irq, irq_hw_number_t line)
{
	irq_set_chip_and_handler(irq, &tracker_chip, handle_level_irq);
	return 0;
}

static const struct irq_domain_ops tracker_domain_ops = {
	.map = map,
};

static void on_tick(struct timer_list *timer)
{
	struct tracker *tracker = container_of(timer, struct tracker, timer);
	unsigned long flags;
	bool raised;
	u32 wanted;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	tracker_see(tracker);
	raised = tracker_tick(tracker);
	wanted = tracker_take_wanted(tracker);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	tracker_schedule(tracker, wanted);
	if (raised)
		generic_handle_irq_safe(tracker->irq);
	mod_timer(&tracker->timer, jiffies + 1);
}

int tracker_interrupt_init(struct tracker *tracker)
{
	tracker->masked = true;
	tracker->domain = irq_domain_add_linear(NULL, 1, &tracker_domain_ops, tracker);
	if (!tracker->domain)
		return -ENOMEM;
	tracker->irq = irq_create_mapping(tracker->domain, 0);
	if (!tracker->irq) {
		irq_domain_remove(tracker->domain);
		return -ENOMEM;
	}
	timer_setup(&tracker->timer, on_tick, 0);
	mod_timer(&tracker->timer, jiffies + 1);
	return 0;
}

void tracker_interrupt_exit(struct tracker *tracker)
{
	del_timer_sync(&tracker->timer);
	irq_dispose_mapping(tracker->irq);
	irq_domain_remove(tracker->domain);
}
