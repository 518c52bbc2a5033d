# SPDX-License-Identifier: BSD-2-Clause
"""The last stage before the PHY: CKE, ODT and chip select of each rank."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, Signal


class RankDFI(LiteXModule):
    """Passes the controller's DFI to the injector's external port, and gives each rank its CKE.

    It uses the injector's own hook: ``ext_dfi`` in place of ``slave`` while hardware is in control. Software
    control through the injector's registers does not change; `hardware` reports it. The data read no longer
    passes the controller; LiteDRAM only forwards it to its crossbar, which takes it from `rdata`.

    Parameters
    ----------
    dfi : litedram.phy.dfi.Interface
        the controller's.
    dfii : litedram.dfii.DFIInjector

    Attributes
    ----------
    cke, odt, selectable : Signal(nranks), in
        levels of the pins; commands reach the rank (its cs_n passes).
    rdata : Signal, out
    hardware : Signal, out
        the controller, not software, drives the DFI.
    activate : Signal, out
        an ACTIVATE is on the DFI.
    refresh : Signal(nranks), out
        the rank is sent a REFRESH, except that of a self-refresh entry.
    """

    def __init__(self, dfi, dfii):
        nranks = len(dfi.p0.cs_n)
        self.cke = Signal(nranks)
        self.odt = Signal(nranks)
        self.selectable = Signal(nranks)
        self.rdata = Signal(len(dfi.p0.rddata) * len(dfi.phases))
        self.hardware = dfii._control.fields.sel
        self.activate = Signal()
        self.refresh = Signal(nranks)

        # # #

        out = dfii.ext_dfi
        kept = {"cke", "odt", "cs_n", "rddata", "rddata_valid"}
        self.comb += dfii.ext_dfi_sel.eq(1)
        for phase, to in zip(dfi.phases, out.phases, strict=True):
            self.comb += [
                *(
                    getattr(to, name).eq(getattr(phase, name))
                    for name, *_ in phase.layout
                    if name not in kept
                ),
                to.cke.eq(phase.cke & self.cke),
                to.odt.eq(phase.odt & self.odt),
                to.cs_n.eq(phase.cs_n | ~self.selectable),
            ]
        first = out.phases[0]  # where LiteDRAM sends its refreshes
        self.comb += [
            self.rdata.eq(Cat(*(phase.rddata for phase in out.phases))),
            self.activate.eq(
                reduce(or_, [~phase.ras_n & phase.cas_n & phase.we_n for phase in dfi.phases]),
            ),
            self.refresh.eq(0),
        ]
        refresh = ~first.ras_n & ~first.cas_n & first.we_n
        for rank in range(nranks):
            self.comb += self.refresh[rank].eq(refresh & ~first.cs_n[rank] & first.cke[rank])
