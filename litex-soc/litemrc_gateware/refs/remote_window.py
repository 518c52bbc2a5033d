"""A second, uncached mapping of the DRAM on the bus, in which every access has its full latency."""

from litedram.frontend.wishbone import LiteDRAMWishbone2Native
from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone


class RemoteWindow(LiteXModule):
    """An uncached path to the DRAM: each load or store is one access of a separate port.

    Software treats memory behind this window as remote. The same bytes through the L2 cache may be older or
    newer: use a page through one path only, or flush in between.

    Parameters
    ----------
    port : LiteDRAMNativePort
        used by the window alone.
    origin : int
        byte address of the window on the bus; its first byte is that of the DRAM.

    Attributes
    ----------
    bus : wishbone.Interface
        of 32 bits.
    """

    def __init__(self, port, origin):
        self.bus = wishbone.Interface(data_width=32, addressing="word")

        # # #

        wide = wishbone.Interface(data_width=len(port.wdata.data), addressing="word")
        self.converter = wishbone.Converter(self.bus, wide)
        self.bridge = LiteDRAMWishbone2Native(wide, port, base_address=origin)
