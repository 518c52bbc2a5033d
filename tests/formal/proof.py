# SPDX-License-Identifier: BSD-2-Clause
"""A proof: a unit, free inputs, assumptions about them, properties, and the cases that must be reachable."""

from dataclasses import dataclass
from functools import reduce
from operator import and_

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Memory, Mux, Signal
from migen.fhdl.bitcontainer import value_bits_sign

UNBOUNDED_REACH = 70  # cycles; of a property of all states any number is fine
ALWAYS = None  # `when` of a property without an antecedent; it has other cases


@dataclass(frozen=True)
class Effort:
    """How far a property is proved.

    Parameters
    ----------
    depth
        0: in all reachable states; else in the first `depth` cycles after reset (BMC).
    prepare
        commands of ABC before.
    inductive
        all states by induction over one cycle; else by PDR.
    within
        cycles within which the cases of a property of all states are reached and its faults are found.
    """

    depth: int = 0
    prepare: str = "scorr"
    inductive: bool = False
    within: int = UNBOUNDED_REACH

    @property
    def reach(self) -> int:
        """Cycles within which the property's cases are reached and its seeded faults are found."""
        return self.depth or self.within


@dataclass(frozen=True)
class Case:
    """A state in which a property says something: it must be reached within the property's depth."""

    name: str
    signal: Signal


@dataclass(frozen=True)
class Goal:
    """A property, as outputs of the proof's Verilog.

    Parameters
    ----------
    broken
        1 if the property is broken.
    targets
        what is proved to stay 0: `broken`, or a lemma is broken as well.
    """

    name: str
    broken: Signal
    targets: tuple[Signal, ...]
    effort: Effort
    cases: tuple[Case, ...]


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
    properties : list of Goal
    constants : list of Signal
        undriven signals that keep their reset values, as in the unit.
    """

    parameters = ""

    def __init__(self) -> None:
        self.assumed = []
        self.properties = []
        self.constants = []
        self.allowed = Signal()  # all assumptions held so far
        self.first = Signal(reset=1)
        self._held = Signal(reset=1)
        self.sync += [self.first.eq(0), self._held.eq(self.allowed)]

    def assume(self, reason: str, condition) -> None:
        """Consider only runs in which `condition` is true in every cycle."""
        self.assumed.append((reason, condition))

    def prove(
        self,
        name: str,
        condition,
        when,
        cases=None,
        effort: Effort | None = None,
        lemmas=(),
        given=(),
        parts: int = 1,
    ) -> None:
        """State that `condition` is true in every cycle in which `when` is.

        Parameters
        ----------
        when
            an expression, or `ALWAYS`. That it can be true is a case of the property.
        cases
            further ones: expressions by name, each to be reached together with `when`.
        lemmas
            conditions about the unit's registers that are proved together with the property, by
            induction. A unit with a fault need not keep them.
        given
            conditions that other properties prove, for the induction; likewise.
        parts
            the lemmas are proved in so many steps: each step that some hold if all held a cycle before.
        """
        number, effort = len(self.properties), effort or Effort()
        active = self._output(f"property{number}_when", 1 if when is ALWAYS else when)
        broken = self._output(f"property{number}", active & ~_bit(self, condition))
        targets = (broken,)
        if lemmas:
            effort = Effort(inductive=True, prepare="strash", within=effort.within)
            bits = [_bit(self, lemma) for lemma in lemmas]
            proved, all_hold = Signal(), self.named(reduce(and_, bits), 1)
            held = self.before(~proved)  # 0 in the first cycle
            self.comb += proved.eq(reduce(and_, (_bit(self, each) for each in given), ~held))
            if parts == 1:
                targets = (self._output(f"property{number}_lemmas", proved & (broken | ~all_hold)),)
            else:
                held_before = Signal(reset=1)
                self.sync += held_before.eq(all_hold)
                steps = [reduce(and_, bits[part::parts]) for part in range(parts)]
                breaks = [held_before & ~self.named(step, 1) for step in steps] + [all_hold & broken]
                targets = tuple(
                    self._output(f"property{number}_lemmas{part}", proved & each)
                    for part, each in enumerate(breaks)
                )
        named = {"antecedent": active} if when is not ALWAYS else {}
        named |= {
            text: self._output(f"property{number}_case{at}", active & _bit(self, case))
            for at, (text, case) in enumerate((cases or {}).items())
        }
        reached = tuple(Case(text, signal) for text, signal in named.items())
        self.properties.append(Goal(name, broken, targets, effort, reached))

    def _output(self, name: str, condition) -> Signal:
        """Return a signal of that name: `condition` is true, and all assumptions held so far."""
        signal = Signal(name_override=name)
        self.comb += signal.eq(self.allowed & _bit(self, condition))
        return signal

    def named(self, value, bits: int = 0) -> Signal:
        """Return a signal with the value of an expression."""
        signal = Signal(bits or value_bits_sign(value)[0])
        self.comb += signal.eq(value)
        return signal

    def word_at(self, module, adr) -> Signal:
        """Return the word at an address of a module's only memory, before the write of this cycle."""
        port = memory_of(module).get_port(async_read=True)
        self.specials += port
        self.comb += port.adr.eq(adr)
        return port.dat_r

    def any_constant(self, bits: int, name: str) -> Signal:
        """Return a signal of any value that stays the same."""
        value, stored, chosen = Signal(bits, name=name), Signal(bits), Signal(bits, name=f"choose_{name}")
        self.comb += value.eq(Mux(self.first, chosen, stored))
        self.sync += stored.eq(value)
        return value

    def before(self, value, cycles: int = 1):
        """Return `value` of n cycles ago; 0 before the first cycle."""
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
        """Prove the rule of streams of an output; a record that waited may be taken."""
        self.prove(
            f"{name}: a record and its payload stay until taken",
            self.keeps(endpoint),
            when=self.before(endpoint.valid & ~endpoint.ready),
            cases={"it is taken": endpoint.valid & endpoint.ready},
            effort=effort,
        )

    def do_finalize(self) -> None:
        conditions = [_bit(self, condition) for _, condition in self.assumed]
        self.comb += self.allowed.eq(reduce(and_, conditions, self._held))


def memory_of(module) -> Memory:
    """Return the only memory of a module."""
    (memory,) = (special for special in module._fragment.specials if isinstance(special, Memory))
    return memory


def _bit(module: LiteXModule, condition) -> Signal:
    """Return a signal of one bit that is the condition's truth; Migen's ~ of wider terms is not 0 or 1."""
    bit = Signal()
    module.comb += If(condition, bit.eq(1))
    return bit
