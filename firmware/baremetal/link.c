// SPDX-License-Identifier: BSD-2-Clause
#include "link.h"

#include <generated/csr.h>
#include <generated/soc.h>
#include <irq.h>

#define RING_BYTES 4096u	/* a power of two */

/* Bits of LiteX's UART events. */
#define EV_TX (1u << CSR_LINK_EV_PENDING_TX_OFFSET)
#define EV_RX (1u << CSR_LINK_EV_PENDING_RX_OFFSET)

static uint8_t ring[RING_BYTES];
static struct litemrc_writer writer = {.ring = ring, .mask = RING_BYTES - 1};
static size_t consumed;	/* free running */
static uint32_t sequence;
static struct litemrc_receiver *receiver;
static link_handler handler;

static void transmit(void)
{
	while (consumed != writer.begun && !link_txfull_read())
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

bool link_has_room(size_t bytes)
{
	return RING_BYTES - (writer.end - consumed) >= LITEMRC_FRAME_BYTES(sizeof(struct litemrc_message) + bytes);
}

static bool has_room(struct outlet *outlet, size_t bytes)
{
	(void)outlet;
	return link_has_room(bytes);
}

static void put(struct outlet *outlet, const volatile void *bytes, size_t length)
{
	(void)outlet;
	litemrc_frame_put(&writer, bytes, length);
	transmit();
}

static void begin(struct outlet *outlet, uint32_t type)
{
	const struct litemrc_message message = {.type = type, .sequence = type ? ++sequence : 0};

	litemrc_frame_begin(&writer);
	if (type)
		put(outlet, &message, sizeof(message));
}

static void end(struct outlet *outlet)
{
	(void)outlet;
	litemrc_frame_end(&writer);
	transmit();
}

struct outlet link_outlet = {has_room, begin, put, end};

void link_send(uint32_t type, const void *body, size_t bytes)
{
	begin(&link_outlet, type);
	put(&link_outlet, body, bytes);
	end(&link_outlet);
}
