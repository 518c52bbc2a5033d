// SPDX-License-Identifier: GPL-2.0
/*
 * The fake's interrupt: a level, sampled once a jiffy. Raising it at a register
 * write would wake the driver's thread under the writer's locks, possibly the
 * scheduler's; hardware does not. In endless mode it is also sampled soon after
 * it is unmasked.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>

#include "litemrc_fake.h"

static void mask(struct irq_data *data)
{
	struct fake *fake = data->domain->host_data;

	WRITE_ONCE(fake->masked, true);
}

static void unmask(struct irq_data *data)
{
	struct fake *fake = data->domain->host_data;

	WRITE_ONCE(fake->masked, false);
	if (READ_ONCE(fake->endless))
		schedule_work(&fake->raise);
}

static struct irq_chip fake_chip = {
	.name = "litemrc_fake",
	.irq_mask = mask,
	.irq_unmask = unmask,
};

static int map(struct irq_domain *domain, unsigned int irq,
	       irq_hw_number_t line)
{
	irq_set_chip_and_handler(irq, &fake_chip, handle_level_irq);
	return 0;
}

static const struct irq_domain_ops fake_domain_ops = {
	.map = map,
};

/* Raises the interrupt now, if it is asserted. */
void fake_raise(struct fake *fake)
{
	unsigned long flags;
	bool raised;

	raw_spin_lock_irqsave(&fake->lock, flags);
	fake_advance(fake);
	raised = (fake->ready && fake->ev_enable & LITEMRC_EV_ENABLE_EPOCH) ||
		 (fake_hot_waiting(fake) &&
		  fake->ev_enable & LITEMRC_EV_ENABLE_HOT);
	raised &= !READ_ONCE(fake->masked);
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	if (raised)
		generic_handle_irq_safe(fake->irq);
}

static void on_raise(struct work_struct *work)
{
	fake_raise(container_of(work, struct fake, raise));
}

static void on_tick(struct timer_list *timer)
{
	struct fake *fake = container_of(timer, struct fake, timer);

	fake_raise(fake);
	mod_timer(&fake->timer, jiffies + 1);
}

int fake_interrupt_init(struct fake *fake)
{
	fake->masked = true;
	fake->domain = irq_domain_add_linear(NULL, 1, &fake_domain_ops, fake);
	if (!fake->domain)
		return -ENOMEM;
	fake->irq = irq_create_mapping(fake->domain, 0);
	if (!fake->irq) {
		irq_domain_remove(fake->domain);
		return -ENOMEM;
	}
	INIT_WORK(&fake->raise, on_raise);
	timer_setup(&fake->timer, on_tick, 0);
	mod_timer(&fake->timer, jiffies + 1);
	return 0;
}

void fake_interrupt_exit(struct fake *fake)
{
	timer_delete_sync(&fake->timer);
	cancel_work_sync(&fake->raise);
	irq_dispose_mapping(fake->irq);
	irq_domain_remove(fake->domain);
}
