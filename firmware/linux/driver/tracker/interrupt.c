// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt: a level, sampled outside of the driver's locks when it may
 * have changed. Each tick also looks which process runs, if processes are
 * followed.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>

#include "tracker.h"

static void tracker_mask(struct irq_data *data)
{
	struct tracker *tracker = data->domain->host_data;

	WRITE_ONCE(tracker->masked, true);
}

static void tracker_unmask(struct irq_data *data)
{
	struct tracker *tracker = data->domain->host_data;

	WRITE_ONCE(tracker->masked, false);
	tracker_interrupt_check(tracker);
}

static struct irq_chip tracker_chip = {
	.name = "litemrc_os",
	.irq_mask = tracker_mask,
	.irq_unmask = tracker_unmask,
};

static int tracker_map(struct irq_domain *domain, unsigned int irq,
		       irq_hw_number_t line)
{
	irq_set_chip_and_handler(irq, &tracker_chip, handle_level_irq);
	return 0;
}

static const struct irq_domain_ops tracker_domain_ops = {
	.map = tracker_map,
};

/* Until the end of the epoch, or until tracker_see() is due. */
static void tracker_sleep_for(struct tracker *tracker, u64 left_ns)
{
	unsigned long delay = tracker->watching ? TRACKER_SEE_JIFFIES :
						  MAX_JIFFY_OFFSET;

	if (left_ns != U64_MAX)
		delay = min(delay, 1 + nsecs_to_jiffies(left_ns));
	if (delay != MAX_JIFFY_OFFSET)
		mod_timer(&tracker->timer, jiffies + delay);
}

static void tracker_on_tick(struct timer_list *timer)
{
	struct tracker *tracker = container_of(timer, struct tracker, timer);
	unsigned long flags;
	bool raised;
	u32 wanted;
	u64 left_ns;

	raw_spin_lock_irqsave(&tracker->lock, flags);
	tracker_see(tracker);
	raised = tracker_tick(tracker);
	wanted = tracker_take_wanted(tracker);
	left_ns = tracker_epoch_left(tracker);
	raw_spin_unlock_irqrestore(&tracker->lock, flags);
	tracker_schedule(tracker, wanted);
	if (raised)
		generic_handle_irq_safe(tracker->irq);
	if (raised)
		tracker_interrupt_check(tracker);
	else if (!timer_pending(timer))
		tracker_sleep_for(tracker, left_ns);
}

/**
 * tracker_interrupt_init() - make the interrupt
 * @tracker: the tracker
 *
 * Return: 0 or -ENOMEM
 */
int tracker_interrupt_init(struct tracker *tracker)
{
	tracker->masked = true;
	tracker->domain =
		irq_domain_add_linear(NULL, 1, &tracker_domain_ops, tracker);
	if (!tracker->domain)
		return -ENOMEM;
	tracker->irq = irq_create_mapping(tracker->domain, 0);
	if (!tracker->irq) {
		irq_domain_remove(tracker->domain);
		return -ENOMEM;
	}
	timer_setup(&tracker->timer, tracker_on_tick, 0);
	return 0;
}

/**
 * tracker_interrupt_exit() - remove the interrupt
 * @tracker: the tracker
 */
void tracker_interrupt_exit(struct tracker *tracker)
{
	timer_delete_sync(&tracker->timer);
	irq_dispose_mapping(tracker->irq);
	irq_domain_remove(tracker->domain);
}
