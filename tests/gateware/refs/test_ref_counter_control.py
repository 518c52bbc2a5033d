# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters with registers, window and interrupt: software reads the golden model's values."""

import random
from pathlib import Path

import litemrc_gateware.refs.control as control_module
import pytest
from litemrc.golden.refs.ref_counters import Counter, Event, RefCounters, Selector
from litex.gen import LiteXModule
from litex.soc.interconnect import csr_bus

from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

PAGES, MASTERS, CONTEXTS, WIDTH, QUEUE = 16, 2, 2, 5, 4
REARM = 1 << 31
DELAY, UPDATE = Counter
SELECTORS = {  # reads of master 1; writes of any master in context 0
    DELAY: Selector(True, False, [1], range(CONTEXTS), 0, PAGES - 1),
    UPDATE: Selector(False, True, range(MASTERS), [0], 2, 9),
}


class Bench(LiteXModule):
    """The block on a register bus, with its golden model."""

    def __init__(self, control_class=control_module.RefCounterControl):
        self.control = control_class(PAGES, MASTERS, CONTEXTS, WIDTH, QUEUE, page_shift=10)
        csrs = self.control.get_csrs()
        self.bank = csr_bus.CSRBank(csrs, bus=csr_bus.Interface(data_width=32))
        self.address = {csr.name: number for number, csr in enumerate(csrs)}  # one word each
        self.model = RefCounters(PAGES, WIDTH, QUEUE)
        self.events = []

    def write(self, name, value):
        yield from self.bank.bus.write(self.address[name], value)
        yield  # a bus is free for the next access a cycle later at the earliest

    def read(self, name):
        bus = self.bank.bus
        yield bus.adr.eq(self.address[name])
        yield  # the address is on the bus
        yield  # the data is
        return (yield bus.dat_r)

    def set_up(self, delay, update):
        """Write all settings in the order of the manual, without waiting for the zeroing."""
        for counter, initial in ((DELAY, delay), (UPDATE, update)):
            name, selector = counter.name.lower(), SELECTORS[counter]
            masters = sum(1 << master for master in selector.masters)
            contexts = sum(1 << context for context in selector.contexts)
            select = selector.reads | selector.writes << 1 | masters << 8 | contexts << 16
            yield from self.write(f"{name}_initial", initial)
            yield from self.write(f"{name}_select", select)
            yield from self.write(f"{name}_lower", selector.lower)
            yield from self.write(f"{name}_upper", selector.upper)
            self.model.selectors[counter], self.model.initials[counter] = selector, initial
        yield from self.write("control", 1)
        yield from self.reset()

    def reset(self):
        yield from self.write("command", 1)
        self.model.reset()

    def request(self, page, write=False, master=1, context=0):
        request = self.control.request
        yield request.valid.eq(1)
        for name, value in (("page", page), ("write", write), ("master", master), ("context", context)):
            yield getattr(request, name).eq(int(value))
        yield
        yield request.valid.eq(0)
        self.model.request(page, write, master, context)

    def load(self, page, counter, word):
        yield from self.control.window.bus.write(2 * page + counter, word)
        value = self.model.initials[counter] if word & REARM else word
        self.model.load(page, counter, value)
        seen = yield from self.control.window.bus.read(2 * page + counter)
        assert seen == value

    def check_counters(self):
        """Compare every word of the window with the model."""
        for page in range(PAGES):
            for counter in Counter:
                value = yield from self.control.window.bus.read(2 * page + counter)
                assert value == self.model.read(page, counter), (page, counter)

    def take_events(self):
        """Take all events, like an interrupt handler."""
        for _ in range(30):
            yield
        while True:
            word = yield from self.read("event")
            expected = self.model.take()
            assert word >> 31 == (yield self.control.ev.event.trigger) == (yield from self.read("status")) & 1
            if not word >> 31:
                assert expected is None
                break
            event = Event(word & 0xFFFFFF, Counter(word >> 24 & 1))
            assert event == expected
            self.events.append(event)
            yield from self.write("command", 2)
            for _ in range(6):
                yield
        counts = ((yield from self.read("fired")), (yield from self.read("lost")))
        assert counts == (self.model.fired, self.model.lost)
        assert self.model.fired == len(self.events) + self.model.lost


def simulate(process, bench=None):
    bench = bench or Bench()
    control = bench.control
    request = control.request
    signals = [request.valid, request.page, request.write, request.master, request.context]
    signals += [*bench.bank.bus.flatten(), *control.window.bus.flatten(), control.ev.event.trigger]
    run_simulation(bench, [process(bench)], signals)
    return bench


def by_hand(bench):
    yield from bench.set_up(delay=3, update=2)
    yield from bench.check_counters()  # waits for the zeroing and the reset after it
    for _ in range(5):
        yield from bench.request(5)
    for page in (1, 5, 5, 10):
        yield from bench.request(page, write=True, master=0)
    yield from bench.request(5, write=True, context=1)
    yield from bench.take_events()
    yield from bench.check_counters()


def at_random(bench):
    dice = random.Random(1)
    yield from bench.set_up(delay=2, update=1)
    for _ in range(40):
        for _ in range(dice.randrange(12)):
            page = dice.randrange(2, 6)
            yield from bench.request(page, dice.random() < 0.4, dice.randrange(2), dice.randrange(2))
        kind = dice.randrange(8)
        if kind < 3:
            word = dice.choice((REARM, dice.randrange(4)))
            yield from bench.load(dice.randrange(2, 6), dice.choice(list(Counter)), word)
        elif kind == 3:  # the second reset waits, and the load after it
            yield from bench.reset()
            yield from bench.reset()

            yield from bench.load(dice.randrange(2, 6), DELAY, dice.randrange(4))
        elif kind == 4:
            counter = dice.choice(list(Counter))
            value = dice.randrange(4)
            yield from bench.write(f"{counter.name.lower()}_initial", value)
            bench.model.initials[counter] = value
        elif kind < 7:
            yield from bench.take_events()
    yield from bench.take_events()
    yield from bench.check_counters()


def test_counters_fire_once_in_order_and_stay_silent() -> None:
    assert simulate(by_hand).events == [Event(5, DELAY), Event(5, UPDATE)]


def test_software_sees_what_the_golden_model_says() -> None:
    bench = simulate(at_random)
    assert len(bench.events) > 15
    assert bench.model.lost > 0


def test_nothing_counts_until_it_is_enabled() -> None:
    def process(bench):
        yield from bench.set_up(delay=1, update=1)
        yield from bench.write("control", 0)
        for _ in range(3):
            yield from bench.request(5)
        for _ in range(20):
            yield
        assert (yield from bench.read("fired")) == 0
        assert (yield from bench.control.window.bus.read(2 * 5 + DELAY)) == 1

    simulate(process)


def test_capabilities_report_what_was_built() -> None:
    def process(bench):
        # page_shift, pages_log2, width, masters, contexts, queue_log2
        expected = 10 | 4 << 5 | 5 << 10 | 2 << 15 | 2 << 19 | 2 << 24
        assert (yield from bench.read("capabilities")) == expected
        assert (yield from bench.read("version")) == 1

    simulate(process)


MUTANTS = (
    ("window_answers_before_it_has_read", "If(asked & counters.answered,", "If(asked,"),
    (
        "window_does_not_wait_for_a_reset",
        "self.window.wait.eq(resets | reset_pending)",
        "self.window.wait.eq(0)",
    ),
    ("rearming_takes_the_other_initial_value", "Mux(bus.adr[0], initials", "Mux(~bus.adr[0], initials"),
)


@pytest.mark.parametrize(("old", "new"), [mutant[1:] for mutant in MUTANTS], ids=[m[0] for m in MUTANTS])
def test_a_fault_in_the_registers_is_found(old: str, new: str) -> None:
    mutant = mutated_module(Path(control_module.__file__), old, new)
    with pytest.raises(AssertionError):
        simulate(at_random, Bench(mutant.RefCounterControl))
