// SPDX-License-Identifier: BSD-2-Clause
/* A LiteX SoC: its console UART, and its controller's reset. */
#include <platform.h>

#define UART_RX_EVENT 2
#define DFII_CONTROL_SEL 1 /* the memory controller drives the DRAM, not software */

void platform_putchar(char c)
{
	while (read_register(CSR_UART_TXFULL_ADDR))
		;
	write_register(CSR_UART_RXTX_ADDR, (uint8_t)c);
}

#ifdef CODE_IN_DRAM
static void put(const char *text)
{
	while (*text)
		platform_putchar(*text++);
}

static char identifier_at(unsigned int i)
{
	return read_register(CSR_IDENTIFIER_MEM_BASE + 4 * i);
}

/* Device tree and kernel came with this shim: halts unless they are of the bitstream that is loaded. */
static void check_identifier(void)
{
	const char *built_for = CONFIG_IDENTIFIER;
	unsigned int i = 0;

	while (built_for[i] && built_for[i] == identifier_at(i))
		i++;
	if (built_for[i] == identifier_at(i))
		return;
	put("halted: boot files of ");
	put(built_for);
	put(" on ");
	for (i = 0; i < sizeof(CONFIG_IDENTIFIER) && identifier_at(i) >= ' '; i++)
		platform_putchar(identifier_at(i));
	put("\r\n");
	for (;;)
		;
}
#endif

void platform_start(uintptr_t hart)
{
#ifdef CONFIG_CPU_TYPE_ROCKET
	open_physical_memory();
#endif
	if (hart)
		return;
#ifdef CODE_IN_DRAM /* the BIOS has prepared the DRAM */
	check_identifier();
#else
	/* Enough for LiteDRAM's memory model. DRAM chips need their mode registers written first. */
	write_register(CSR_SDRAM_DFII_CONTROL_ADDR, DFII_CONTROL_SEL);
#endif
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
	put("halted: switch the power off\r\n");
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
