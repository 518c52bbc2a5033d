# SPDX-License-Identifier: BSD-2-Clause
"""The gate between LiteDRAM's crossbar and its bank machines: shut for ranks that sleep."""

from functools import reduce
from operator import or_

from litedram.common import LiteDRAMInterface
from litex.gen import LiteXModule
from migen import Cat, If, Signal, log2_int


class RankGate(LiteXModule):
    """Holds requests for sleeping ranks in the crossbar; requests for other ranks pass.

    It replaces the controller's interface before the crossbar is finalised:
    ``crossbar.controller = gate.interface``. An open gate adds no cycles.

    A request waits before a shut gate in the same way as before a bank machine whose buffer is full: its port
    waits, other ports do not. Requests that a bank machine has taken cannot be held: a rank may only be shut
    while it is not `busy`.

    Parameters
    ----------
    controller : LiteDRAMInterface
        the controller's (``controller.interface``).
    rdata : Signal
        data read, as the PHY gives it.

    Attributes
    ----------
    interface : LiteDRAMInterface
        for the crossbar.
    open : Signal(nranks), in
    busy : Signal(nranks), out
        a request waits before the gate, or its command has not been issued yet.
    waiting : Signal(nranks), out
        a request waits before the shut gate.
    requests : list of lists
        of each rank: every bank's request, before the gate.
    """

    def __init__(self, controller, rdata):
        settings = controller.settings
        if settings.cmd_buffer_buffered:
            raise ValueError(
                "rank power: a buffered command buffer hides a request for a cycle: "
                "leave ControllerSettings.cmd_buffer_buffered False"
            )
        nranks, banks = controller.nranks, 2**settings.geom.bankbits
        self.interface = interface = LiteDRAMInterface(controller.address_align, settings)
        self.open = Signal(nranks)
        self.busy = Signal(nranks)
        self.waiting = Signal(nranks)
        self.requests = []

        # # #

        for rank in range(nranks):
            ups = [getattr(interface, f"bank{rank * banks + bank}") for bank in range(banks)]
            downs = [getattr(controller, f"bank{rank * banks + bank}") for bank in range(banks)]
            self.requests.append(ups)
            for up, down in zip(ups, downs, strict=True):
                self.comb += [
                    down.addr.eq(up.addr),
                    down.we.eq(up.we),
                    If(self.open[rank], down.valid.eq(up.valid), up.ready.eq(down.ready)),
                    up.lock.eq(down.lock),
                    up.wdata_ready.eq(down.wdata_ready),
                    up.rdata_valid.eq(down.rdata_valid),
                ]
            requested = reduce(or_, [up.valid for up in ups])
            self.comb += [
                self.busy[rank].eq(requested | reduce(or_, [down.lock for down in downs])),
                self.waiting[rank].eq(requested & ~self.open[rank]),
            ]
        self.comb += [
            controller.wdata.eq(interface.wdata),
            controller.wdata_we.eq(interface.wdata_we),
            interface.rdata.eq(rdata),
        ]


def requested_domains(requests, settings, domains):
    """Which of a rank's domains, equal slices of its addresses, have a request: a bit each.

    Parameters
    ----------
    requests
        of the rank's banks, in their order.
    settings
        ControllerSettings, as the controller has completed it.
    """
    if domains == 1:
        return Cat(reduce(or_, [request.valid for request in requests]))
    # The crossbar has removed the bank's number from the address, above this many bits.
    column_bits = settings.geom.colbits - log2_int(settings.phy.nphases * 2)
    word_bytes = settings.phy.dfi_databits * settings.phy.nphases // 8
    below = max(column_bits, log2_int(max(1, settings.bank_byte_alignment // word_bytes)))
    found = [[] for _ in range(domains)]
    for number, request in enumerate(requests):
        above = [request.addr[below:]] if len(request.addr) > below else []
        address = Cat(request.addr[:below], Signal(settings.geom.bankbits, reset=number), *above)
        domain = address[len(address) - log2_int(domains) :]
        for at in range(domains):
            found[at].append(request.valid & (domain == at))
    return Cat(*(reduce(or_, of_domain) for of_domain in found))
