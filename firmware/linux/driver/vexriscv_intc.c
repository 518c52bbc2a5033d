// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt controller of VexRiscv "linux" in a LiteX SoC: 32 level-triggered
 * lines share the supervisor's external interrupt (hwirq 9 of the processor's
 * own controller). Two control and status registers hold their mask and their
 * masked state.
 */
#include <linux/bitops.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqchip/chained_irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/of_irq.h>
#include <linux/platform_device.h>

#include <asm/csr.h>

#define VEXRISCV_CSR_S_MASK 0x9c0
#define VEXRISCV_CSR_S_PENDING 0xdc0
#define VEXRISCV_LINES 32

static void vexriscv_intc_mask(struct irq_data *data)
{
	csr_clear(VEXRISCV_CSR_S_MASK, BIT(data->hwirq));
}

static void vexriscv_intc_unmask(struct irq_data *data)
{
	csr_set(VEXRISCV_CSR_S_MASK, BIT(data->hwirq));
}

static struct irq_chip vexriscv_intc_chip = {
	.name = "VexRiscv",
	.irq_mask = vexriscv_intc_mask,
	.irq_unmask = vexriscv_intc_unmask,
};

static int vexriscv_intc_map(struct irq_domain *domain, unsigned int irq,
			     irq_hw_number_t line)
{
	irq_set_chip_and_handler(irq, &vexriscv_intc_chip, handle_level_irq);
	irq_set_status_flags(irq, IRQ_LEVEL);
	return 0;
}

static const struct irq_domain_ops vexriscv_intc_ops = {
	.map = vexriscv_intc_map,
	.xlate = irq_domain_xlate_onecell,
};

/* The parent controller is per processor and needs no acknowledge. */
static void vexriscv_intc_handle(struct irq_desc *desc)
{
	struct irq_domain *domain = irq_desc_get_handler_data(desc);
	unsigned long pending = csr_read(VEXRISCV_CSR_S_PENDING);
	unsigned long line;

	for_each_set_bit(line, &pending, VEXRISCV_LINES)
		generic_handle_domain_irq(domain, line);
}

static int vexriscv_intc_probe(struct platform_device *pdev)
{
	struct irq_domain *domain;
	int irq;

	irq = platform_get_irq(pdev, 0);
	if (irq < 0)
		return irq;
	csr_write(VEXRISCV_CSR_S_MASK, 0);
	domain = irq_domain_add_linear(pdev->dev.of_node, VEXRISCV_LINES,
				       &vexriscv_intc_ops, NULL);
	if (!domain)
		return -ENOMEM;
	irq_set_chained_handler_and_data(irq, vexriscv_intc_handle, domain);
	enable_percpu_irq(irq, IRQ_TYPE_NONE);
	dev_info(&pdev->dev, "%d lines\n", VEXRISCV_LINES);
	return 0;
}

static const struct of_device_id vexriscv_intc_match[] = {
	{ .compatible = "litex,vexriscv-intc" },
	{}
};
MODULE_DEVICE_TABLE(of, vexriscv_intc_match);

/*
 * Other drivers hold its interrupts permanently: it can be neither unbound nor
 * unloaded.
 */
static struct platform_driver vexriscv_intc_driver = {
	.probe = vexriscv_intc_probe,
	.driver = {
		.name = "vexriscv-intc",
		.of_match_table = vexriscv_intc_match,
		.suppress_bind_attrs = true,
	},
};
builtin_platform_driver(vexriscv_intc_driver);

MODULE_DESCRIPTION("Interrupt array of VexRiscv in supervisor mode");
MODULE_LICENSE("GPL");
