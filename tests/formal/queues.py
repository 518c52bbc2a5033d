# SPDX-License-Identifier: BSD-2-Clause
"""The reference of every queue: records are numbered; the one with a free number is remembered."""

from litex.gen import LiteXModule
from migen import If, Signal


class FollowedRecord(LiteXModule):
    """Remembers the record with a free number among those that come.

    Numbers are modulo 2^bits, more than the queue holds, so that the records in it have different ones.

    Parameters
    ----------
    proof : Proof
    bits : int
    comes, goes : expression
        a record enters, leaves the queue in this cycle.
    record : expression
        the one that enters.

    Attributes
    ----------
    entries : Signal(bits), out
        records in the queue.
    due : Signal, out
        the next record to leave is the remembered one; `record` is what it must be.
    """

    def __init__(self, proof, bits: int, comes, goes, record) -> None:
        came, gone, self.entries = Signal(bits), Signal(bits), Signal(bits)
        self.gone = gone
        self.due = Signal()
        now = Signal.like(record)
        self.record = Signal.like(record)
        self.number = number = proof.any_constant(bits, "number")
        self.comb += [
            self.entries.eq(came - gone),
            self.due.eq(gone == number),
            now.eq(record),
        ]
        self.sync += [
            If(comes, came.eq(came + 1), If(came == number, self.record.eq(now))),
            If(goes, gone.eq(gone + 1)),
        ]
