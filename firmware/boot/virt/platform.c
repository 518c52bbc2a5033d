// SPDX-License-Identifier: BSD-2-Clause
/* qemu's machine virt: a 16550 UART, a test finisher, and physical memory protection. */
#include <platform.h>

#define UART ((uintptr_t)0x10000000)
#define UART_LSR 5
#define LSR_DATA_READY 0x01
#define LSR_TRANSMITTER_EMPTY 0x20

#define FINISHER 0x00100000u
#define FINISHER_FAIL 0x3333
#define FINISHER_PASS 0x5555
#define FINISHER_RESET 0x7777

static volatile uint8_t *const uart = (volatile uint8_t *)UART;

void platform_start(uintptr_t hart)
{
	(void)hart;
	open_physical_memory();
}

void platform_putchar(char c)
{
	while (!(uart[UART_LSR] & LSR_TRANSMITTER_EMPTY))
		;
	uart[0] = c;
}

int platform_getchar(void)
{
	return uart[UART_LSR] & LSR_DATA_READY ? uart[0] : -1;
}

/* QEMU executes further instructions before it ends or resets the machine. */
static void finish(uint32_t value)
{
	write_register(FINISHER, value);
	for (;;)
		;
}

void platform_shutdown(bool failed)
{
	finish(failed ? 1 << 16 | FINISHER_FAIL : FINISHER_PASS);
}

void platform_reboot(void)
{
	finish(FINISHER_RESET);
}
