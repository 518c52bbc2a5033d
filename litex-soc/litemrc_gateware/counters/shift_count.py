"""Event counters as linear feedback shift registers: one LUT to count, a table to decode."""

from litex.gen import LiteXModule
from migen import Case, Cat, Signal

# Taps, numbered from 1, whose XNOR is shifted in (Xilinx XAPP052, table 3): 2^n - 1 states, including 0.
TAPS = {3: (3, 2), 4: (4, 3), 5: (5, 3), 6: (6, 5), 7: (7, 6), 8: (8, 6, 5, 4), 9: (9, 5)}


def shift_bits(most: int) -> int:
    """Bits of a register that counts up to `most`."""
    return next(bits for bits in TAPS if 2**bits - 1 > most)


def next_state(state: int, bits: int) -> int:
    """The state after one more event; no event is state 0, one event is state 1."""
    tapped = sum(state >> tap - 1 & 1 for tap in TAPS[bits])
    return (state << 1 | (tapped + 1) % 2) % 2**bits


def shifted(state: Signal):
    """The same for a Signal."""
    feedback = 1
    for tap in TAPS[len(state)]:
        feedback = feedback ^ state[tap - 1]
    return Cat(feedback, state[:-1])


class ShiftCountDecoder(LiteXModule):
    """Decodes a state into its number of events, a cycle later.

    Parameters
    ----------
    bits : int

    Attributes
    ----------
    state, number : Signal(bits), in and out
    """

    def __init__(self, bits: int) -> None:
        self.state, self.number = Signal(bits), Signal(bits)

        # # #

        numbers, state = {}, 0
        for number in range(2**bits - 1):
            numbers[state] = self.number.eq(number)
            state = next_state(state, bits)
        self.sync += Case(self.state, numbers)
