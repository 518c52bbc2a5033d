"""How many refreshes a rank owes."""

from litex.gen import LiteXModule
from migen import If, Signal

# JEDEC lets 8 be postponed. A sleep in self-refresh adds less than 2: its time awake is no whole number of
# refresh intervals, and a refresh of the controller's that comes within tXS of the exit passes the rank by.
MOST_POSTPONED = 4
# JEDEC allows 16 refreshes within 2 tREFI, the extra ones of self-refresh among them: at most 8 of those.
PAUSES_AN_INTERVAL = 4


class RankAccount(LiteXModule):
    """Refreshes that one rank owes (JESD79-3F, 4.15 and 4.16).

    One is due each tREFI outside self-refresh, and after each self-refresh an extra one, which pays nothing
    of the others. The controller's refreshes pay while the rank is there for them; `due` asks for more.

    Parameters
    ----------
    interval : int
        tREFI in cycles, rounded down.

    Attributes
    ----------
    self_refresh : Signal, in
        the rank refreshes itself.
    refresh : Signal, in
        strobe: it is sent a REFRESH.
    due : Signal, out
        the extra one is owed, or too many of the others are.
    may_self_refresh : Signal, out
        a quarter of tREFI has passed since the last self-refresh: with its extra one there are not too many.
    """

    def __init__(self, interval):
        self.self_refresh = Signal()
        self.refresh = Signal()
        self.due = Signal()
        self.may_self_refresh = Signal()

        # # #

        clocks = Signal(max=interval)
        owed = Signal(max=MOST_POSTPONED + 4)
        extra = Signal()
        another = Signal()
        pause = Signal(max=interval // PAUSES_AN_INTERVAL + 1)
        self.comb += [
            self.may_self_refresh.eq(pause == 0),
            another.eq(~self.self_refresh & (clocks == interval - 1)),
            self.due.eq(extra | (owed > MOST_POSTPONED)),
        ]
        self.sync += [
            If(another, clocks.eq(0)).Elif(~self.self_refresh, clocks.eq(clocks + 1)),
            If(self.self_refresh, pause.eq(interval // PAUSES_AN_INTERVAL)).Elif(
                pause != 0, pause.eq(pause - 1)
            ),
            If(self.self_refresh, extra.eq(1)).Elif(self.refresh, extra.eq(0)),
            If(
                self.refresh & ~extra,
                If(~another & (owed != 0), owed.eq(owed - 1)),
            ).Elif(another & (owed != 2 ** len(owed) - 1), owed.eq(owed + 1)),
        ]
