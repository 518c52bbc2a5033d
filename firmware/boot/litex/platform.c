// SPDX-License-Identifier: BSD-2-Clause
/* A LiteX SoC: its console UART, and its controller's reset. */
#include <platform.h>

#define UART_RX_EVENT 2
#define DFII_CONTROL_SEL 1 /* the memory controller drives the DRAM, not software */

void platform_start(void)
{
#ifndef CODE_IN_DRAM /* else the BIOS has prepared the DRAM */
	/* Enough for LiteDRAM's memory model. DRAM chips need their mode registers written first. */
	write_register(CSR_SDRAM_DFII_CONTROL_ADDR, DFII_CONTROL_SEL);
#endif
}

void platform_putchar(char c)
{
	while (read_register(CSR_UART_TXFULL_ADDR))
		;
	write_register(CSR_UART_RXTX_ADDR, (uint8_t)c);
}

int platform_getchar(void)
{
	int c;

	if (read_register(CSR_UART_RXEMPTY_ADDR))
		return -1;
	c = (uint8_t)read_register(CSR_UART_RXTX_ADDR);
	/* Clearing the event removes the byte from the receiver. */
	write_register(CSR_UART_EV_PENDING_ADDR, UART_RX_EVENT);
	return c;
}

/* The SoC cannot switch itself off. A reset ends a simulation; on a board it would start Linux again. */
void platform_shutdown(bool failed)
{
	(void)failed;
#ifdef CODE_IN_DRAM
	for (const char *c = "halted: switch the power off\r\n"; *c; c++)
		platform_putchar(*c);
	for (;;)
		;
#endif
	platform_reboot();
}

void platform_reboot(void)
{
	while (!read_register(CSR_UART_TXEMPTY_ADDR)) /* until the FIFO is empty */
		;
	write_register(CSR_CTRL_RESET_ADDR, 1 << CSR_CTRL_RESET_SOC_RST_OFFSET);
}
