"""A proof: a unit, free inputs, assumptions about them, properties, and states that must be reachable."""

from dataclasses import dataclass, field
from functools import reduce
from operator import and_

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Signal
from migen.fhdl.bitcontainer import value_bits_sign


@dataclass(frozen=True)
class Effort:
    """How far a property is proved.

    :param depth: 0: in all reachable states (PDR); else in the first `depth` cycles after reset.
    :param prepare: commands of ABC before.
    """

    depth: int = 0
    prepare: str = "scorr"


@dataclass(frozen=True)
class Goal:
    """A property or a state to be reached, as an output of the proof's Verilog."""

    name: str
    signal: Signal
    effort: Effort = field(default_factory=Effort)


class Proof(LiteXModule):
    """A module of which every input that nothing drives is free in each cycle.

    The first cycle is the one after reset: registers have their reset values; registers without a reset and
    memories hold anything. A property counts in a cycle if all assumptions held up to and in that cycle.

    Attributes
    ----------
    parameters : str
        of the unit, for the table.
    assumed : list of (str, expression)
        by the reason why the environment keeps it.
    properties, covers : list of Goal
        1 if the property is broken; 1 if the state is reached.
    constants : list of Signal
        undriven signals that keep their reset values, as in the unit.
    """

    parameters = ""

    def __init__(self) -> None:
        self.assumed = []
        self.properties, self.covers = [], []
        self.constants = []
        self.allowed = Signal()  # all assumptions held so far
        self.first = Signal(reset=1)
        self._held = Signal(reset=1)
        self.sync += [self.first.eq(0), self._held.eq(self.allowed)]

    def assume(self, reason: str, condition) -> None:
        """Consider only runs in which `condition` is true in every cycle."""
        self.assumed.append((reason, condition))

    def prove(self, name: str, condition, effort: Effort | None = None) -> None:
        """State that `condition` is true in every cycle."""
        broken = Signal(name_override=f"property{len(self.properties)}")
        self.comb += broken.eq(self.allowed & ~_bit(self, condition))
        self.properties.append(Goal(name, broken, effort or Effort()))

    def cover(self, name: str, condition, depth: int = 60) -> None:
        """State that `condition` is true in some cycle before `depth`."""
        reached = Signal(name_override=f"cover{len(self.covers)}")
        self.comb += reached.eq(self.allowed & _bit(self, condition))
        self.covers.append(Goal(name, reached, Effort(depth, "strash")))

    def any_constant(self, bits: int, name: str) -> Signal:
        """Return a signal of any value that stays the same."""
        value, stored, chosen = Signal(bits, name=name), Signal(bits), Signal(bits, name=f"choose_{name}")
        self.comb += value.eq(Mux(self.first, chosen, stored))
        self.sync += stored.eq(value)
        return value

    def before(self, value, cycles: int = 1):
        """Return `value` of so many cycles ago; 0 before the first cycle."""
        for _ in range(cycles):
            ahead, value = value, Signal(value_bits_sign(value)[0])
            self.sync += value.eq(ahead)
        return value

    def ever(self, event):
        """Return whether `event` was true in a cycle before this one."""
        seen = Signal()
        self.sync += If(event, seen.eq(1))
        return seen

    def keeps(self, endpoint: stream.Endpoint):
        """Return the rule of streams: a record that waits stays, and its payload with it."""
        waited = self.before(endpoint.valid & ~endpoint.ready)
        payload = endpoint.payload.raw_bits()
        return ~waited | (endpoint.valid & (self.before(payload) == payload))

    def assume_stream(self, name: str, endpoint: stream.Endpoint) -> None:
        """Assume the rule of streams of an input; what sends to it proves it."""
        self.assume(f"{name} keeps a record until it is taken", self.keeps(endpoint))

    def prove_stream(self, name: str, endpoint: stream.Endpoint, effort: Effort | None = None) -> None:
        """Prove the rule of streams of an output, and that a record waits and is then taken."""
        self.prove(f"{name}: a record and its payload stay until taken", self.keeps(endpoint), effort)
        taken = endpoint.valid & endpoint.ready
        self.cover(
            f"{name}: a record waits and is taken", self.before(endpoint.valid & ~endpoint.ready) & taken
        )

    def do_finalize(self) -> None:
        conditions = [_bit(self, condition) for _, condition in self.assumed]
        self.comb += self.allowed.eq(reduce(and_, conditions, self._held))


def _bit(module: LiteXModule, condition) -> Signal:
    """Return a signal of one bit that is the condition's truth; Migen's ~ of wider terms is not 0 or 1."""
    bit = Signal()
    module.comb += If(condition, bit.eq(1))
    return bit
