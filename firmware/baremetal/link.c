// SPDX-License-Identifier: BSD-2-Clause
#include "link.h"

#include <generated/csr.h>
#include <generated/soc.h>
#include <irq.h>

#define RING_BYTES 4096u	/* a power of two; an epoch of 64 groups is 100 to 350 bytes */

/* Bits of LiteX's UART events. */
#define EV_TX (1u << CSR_LINK_EV_PENDING_TX_OFFSET)
#define EV_RX (1u << CSR_LINK_EV_PENDING_RX_OFFSET)

/* The longest frame sent here: without a tail, whose words have 5 bytes each in CBOR. */
#define FRAME_MAX (LITEMRC_FRAME_MAX - 5 * sizeof(((struct epoch_body *)0)->tail.tail) / sizeof(uint32_t))

struct device_message link_message;

static uint8_t ring[RING_BYTES];
static size_t produced, consumed;	/* free running */
static struct litemrc_sender sender;
static struct litemrc_receiver *receiver;
static link_handler handler;

static void transmit(void)
{
	while (consumed != produced && !link_txfull_read())
		link_rxtx_write(ring[consumed++ % RING_BYTES]);
}

static void link_isr(void)
{
	uint32_t pending = link_ev_pending_read();

	if (pending & EV_RX)
		while (!link_rxempty_read()) {
			bool complete = litemrc_receiver_push(receiver, link_rxtx_read());

			link_ev_pending_write(EV_RX);	/* removes the byte from the FIFO */
			if (complete)
				handler();
		}
	if (pending & EV_TX) {
		link_ev_pending_write(EV_TX);
		transmit();
		handler();
	}
}

void link_init(struct litemrc_receiver *rx, link_handler on_progress)
{
	receiver = rx;
	handler = on_progress;
	/* A pending EV_RX stays: clearing it would drop a byte that came early, and no edge would follow. */
	link_ev_pending_write(EV_TX);
	irq_attach(LINK_INTERRUPT, link_isr);
	irq_setmask(irq_getmask() | (1 << LINK_INTERRUPT));
	link_ev_enable_write(EV_TX | EV_RX);
}

bool link_has_room(void)
{
	return RING_BYTES - (produced - consumed) >= FRAME_MAX;
}

void link_send(struct device_message *message)
{
	static uint8_t frame[FRAME_MAX];
	int length = litemrc_frame_encode(&sender, message, frame, sizeof(frame));

	for (int i = 0; i < length; i++)
		ring[produced++ % RING_BYTES] = frame[i];
	transmit();
}
