# SPDX-License-Identifier: BSD-2-Clause
"""The top of the reference counters' bench, with worst-case memories.

python -m tests.cosim.ref_top PAGES CONTEXTS MASTERS WIDTH QUEUE_DEPTH OUT.v
"""

import sys
from pathlib import Path

from litemrc_gateware.refs import banks as ref_counter_banks
from litemrc_gateware.refs.ref_counters import RefCounters
from litemrc_gateware.refs.registers import command_layout, event_layout, request_layout, selector_layout
from litex.gen.fhdl.verilog import convert

from tests.cosim.rtl_top import BenchTop, UnsureDualPort


class RefsTop(BenchTop):
    """RefCounters alone."""

    def __init__(self, pages, contexts, masters, width, queue_depth) -> None:
        super().__init__()
        ref_counter_banks.SimpleDualPort = UnsureDualPort
        self.counters = counters = RefCounters(pages, masters, contexts, width, queue_depth)
        request = [("valid", 1), *request_layout(pages, masters, contexts)]
        pairs = [(counters.request, "request", request)]
        for number, selector in enumerate(counters.selectors):
            pairs.append((selector, f"selector{number}", selector_layout(pages, masters, contexts)))
        for record, prefix, layout in pairs:
            fields = self.add_fields(prefix, layout)
            self.comb += [getattr(record, field).eq(port) for field, port in fields.items()]
        self.add_stream("command", counters.command, command_layout(pages, width), inwards=True)
        self.add_stream("events", counters.events, event_layout(pages), inwards=False)
        self.comb += [
            *(initial.eq(self.add_port(f"initial{n}", width)) for n, initial in enumerate(counters.initials)),
            counters.reset.eq(self.add_port("reset")),
        ]
        for name in ("reset_ready", "answered", "value", "fired", "lost", "sweeping"):
            signal = getattr(counters, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)


def main() -> None:
    """Write the Verilog."""
    *sizes, out = sys.argv[1:]
    top = RefsTop(*map(int, sizes))
    Path(out).write_text(str(convert(top, top.ios, name="top")))


if __name__ == "__main__":
    main()
