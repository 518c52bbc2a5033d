# SPDX-License-Identifier: BSD-2-Clause
"""Migen's run_simulation() with the module Verilated: a hundred times faster, once it is compiled.

run_simulation(bench, [driver(), watcher()], ports=[bench.sink.valid, bench.count])
"""

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from litex.gen.fhdl.verilog import convert
from migen.fhdl.structure import ClockDomain, Signal, _Assign, _Value
from migen.fhdl.tools import list_signals, list_special_ios, list_targets
from migen.sim.core import Evaluator

from tests.compiling import FAULTY_LEVEL, RULES, shared_library, verilate
from tests.products import product

STEP = """
#include "Vtop.h"
#include <cstdint>
extern "C" Vtop *litemrc_new() {{ return new Vtop; }}
extern "C" void litemrc_delete(Vtop *top) {{ delete top; }}
static void settle(Vtop *top, const uint64_t *in, uint64_t *out) {{
{writes}
    top->sys_clk = 0;
    top->eval();
{reads}
}}
// The inputs change behind the edge, as registers do.
extern "C" void litemrc_step(Vtop *top, const uint64_t *in, uint64_t *out) {{
    top->sys_clk = 1;
    top->eval();
    settle(top, in, out);
}}
extern "C" void litemrc_settle(Vtop *top, const uint64_t *in, uint64_t *out) {{ settle(top, in, out); }}
"""


@dataclass
class _Port:
    """Where the value of a signal stands."""

    values: ctypes.Array
    place: int
    width: int
    signed: bool

    def get(self) -> int:
        value = self.values[self.place]
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value


def run_simulation(module, generators: Iterable, ports: Iterable[Signal], verilog: str = "") -> None:
    """Run generators beside a module until all that are not passive have ended.

    They mean what they mean to Migen: `yield` waits for a clock, `(yield signal)` reads, `yield
    signal.eq(value)` writes behind the clock.

    Parameters
    ----------
    module
        a Migen module with the clock domain sys alone.
    ports
        all signals that generators read or write, of 64 bits at most; those that the module does
        not drive are theirs to write.
    verilog
        source of modules that it instantiates.
    """
    ports = list(dict.fromkeys(ports))
    simulation = _Simulation(module, ports, verilog)
    with simulation:
        simulation.run(list(generators))


class _Simulation:
    def __init__(self, module, ports: list[Signal], verilog: str) -> None:
        fragment = module.get_fragment()
        if "sys" not in fragment.clock_domains:
            fragment.clock_domains.append(ClockDomain("sys"))
        clock = fragment.clock_domains["sys"]
        # Not the registers themselves: LiteX gives no port the value that it has before the first clock.
        is_driven = list_targets(fragment) | list_special_ios(fragment, False, True, True)
        driven = [port for port in ports if port in is_driven]
        written = [port for port in ports if port not in is_driven]
        shown = [Signal((port.nbits, port.signed)) for port in driven]
        fragment.comb += [out.eq(port) for out, port in zip(shown, driven, strict=True)]
        for prefix, signals in (("out", shown), ("in", written)):
            for place, signal in enumerate(signals):
                signal.name_override = f"{prefix}_{place}"
        converted = convert(fragment, {clock.clk, clock.rst, *shown, *written}, name="top")
        if converted.data_files:
            raise ValueError("memories with contents are not supported")
        lines = converted.main_source.splitlines(keepends=True)
        source = "".join(line for line in lines if not line.startswith("//"))  # the date
        self.library = _library(source + verilog, len(written), len(driven))
        self.inputs = (ctypes.c_uint64 * (len(written) + 1))()
        self.outputs = (ctypes.c_uint64 * (len(driven) + 1))()
        self.ports = {}
        for values, signals in ((self.outputs, driven), (self.inputs, written)):
            for place, port in enumerate(signals):
                self.ports[port.duid] = _Port(values, place, port.nbits, port.signed)
        for place, port in enumerate(written):
            self.inputs[place] = port.reset.value & (1 << port.nbits) - 1
        self.evaluator = Evaluator(fragment.clock_domains, {})

    def __enter__(self) -> None:
        self.top = self.library.litemrc_new()
        self.library.litemrc_settle(self.top, self.inputs, self.outputs)

    def __exit__(self, *exception: object) -> None:
        self.library.litemrc_delete(self.top)

    def run(self, generators: list) -> None:
        passive = set()
        step, top, inputs, outputs = self.library.litemrc_step, self.top, self.inputs, self.outputs
        while True:
            writes = []
            for generator in list(generators):
                try:
                    self._advance(generator, writes, passive)
                except StopIteration:
                    generators.remove(generator)
            # Before the clock: inputs are as they were when the generators read.
            for place, value in writes:
                inputs[place] = value
            step(top, inputs, outputs)
            if not set(generators) - passive:
                break

    def _advance(self, generator, writes: list, passive: set) -> None:
        """Up to the generator's next clock."""
        ports, reply = self.ports, None
        while (request := generator.send(reply)) is not None:
            reply = None
            if isinstance(request, Signal):
                reply = ports[request.duid].get()
            elif isinstance(request, _Assign):
                port = ports[request.l.duid]
                if port.values is not self.inputs:
                    raise ValueError(f"the module itself drives {request.l}")
                writes.append((port.place, self._value(request.r) & (1 << port.width) - 1))
            elif isinstance(request, str):
                {"passive": passive.add, "active": passive.discard}[request](generator)
            else:
                reply = self._value(request)

    def _value(self, expression: _Value) -> int:
        for signal in list_signals(expression):
            self.evaluator.signal_values[signal.duid] = self.ports[signal.duid].get()
        return self.evaluator.eval(expression)


@cache
def _library(source: str, inputs: int, outputs: int) -> ctypes.CDLL:
    """The module, compiled; `source` is its Verilog, with ports in_0, in_1, ... and out_0, ...."""
    writes = "\n".join(f"    top->in_{place} = in[{place}];" for place in range(inputs))
    reads = "\n".join(f"    out[{place}] = top->out_{place};" for place in range(outputs))
    driver = STEP.format(writes=writes, reads=reads)

    def build(folder: Path) -> Path:
        verilog, step = folder / "top.v", folder / "step.cpp"
        verilog.write_text(source)
        step.write_text(driver)
        objects = verilate(folder, [verilog], FAULTY_LEVEL, beside=[step])
        return shared_library(folder, "top.so", objects)

    library = ctypes.CDLL(str(product("simulated.so", [source, driver, *RULES], build)))
    library.litemrc_new.restype = ctypes.c_void_p
    library.litemrc_delete.argtypes = [ctypes.c_void_p]
    for function in (library.litemrc_step, library.litemrc_settle):
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return library
