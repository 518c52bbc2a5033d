# SPDX-License-Identifier: BSD-2-Clause
"""Gives Bambu's Verilog the names and ports of Vitis HLS, so that both go into the same places.

What differs: clock, reset, start and done have other names; a RAM outside is addressed by words; Bambu's
reset restores no variable, so the function has the argument `restart` (hls/common/compiler.hpp), true in the
first call after a reset; and Bambu's own modules have the same names in each unit. Memories are not
initialized: that call does it.

One fault of Bambu's library is mended (hls/README.md, Bambu): a store of 3, 5, 6 or 7 bytes enables all
bytes of its word and of the next one, which becomes 0; in a memory of one word both are the same.
"""

import re
from dataclasses import dataclass

BYTES = 4  # of a word of a RAM outside
# Byte enables of a store of `po2` bytes, which Bambu lists for powers of two only.
FAULT = "default:CONV=-1;"
MENDED = "default:CONV=({{n_byte_on_databus*2-1{1'b0}},1'b1}<<po2)-1;"
RAM_PORT = re.compile(r"(\w+)_(?:address|ce|we|d|q)\d$")


@dataclass(frozen=True)
class Port:
    """A port of a module: direction, bits, name."""

    direction: str
    bits: int
    name: str

    def declared(self) -> str:
        """Return its declaration."""
        width = f"[{self.bits - 1}:0] " if self.bits > 1 else ""
        return f"{self.direction} {width}{self.name}"


def wrapped(top: str, verilog: str, *, started: bool) -> str:
    """Return Verilog with a module of Vitis' ports, and Bambu's modules under names of this unit.

    Parameters
    ----------
    verilog
        as Bambu wrote it: the module of the function is the last one.
    started
        the function has ap_start.

    Raises
    ------
    ValueError
        if a module is not as expected.
    """
    modules = re.findall(r"^\s*module\s+(\w+)", verilog, re.MULTILINE)
    if not modules:
        raise ValueError(f"Bambu's Verilog of {top} has no module")
    ports = ports_of(modules[-1], verilog)
    names = {name: f"{top}_bambu_{number}_{name.strip('_')[:40]}" for number, name in enumerate(modules)}
    names[modules[-1]] = f"{top}_bambu"
    renamed = re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), verilog)
    uninitialized = re.sub(r"\$readmemb\([^;]*\);", ";", renamed)
    return _module(top, ports, started) + "\n" + uninitialized.replace(FAULT, MENDED)


def ports_of(module: str, verilog: str) -> list[Port]:
    """Return the ports of a module, which are declared behind its header.

    Raises
    ------
    ValueError
        if there is no such module.
    """
    text = re.search(
        rf"^\s*module\s+{module}\s*\((.*?)\);(.*?)^\s*endmodule", verilog, re.MULTILINE | re.DOTALL
    )
    if not text:
        raise ValueError(f"Bambu's Verilog has no module {module}")
    declared = re.findall(r"^\s*(input|output)\s+(?:\[(\d+):0\]\s*)?(\w+)\s*;", text[2], re.MULTILINE)
    ports = [Port(direction, int(high or 0) + 1, name) for direction, high, name in declared]
    header = set(re.findall(r"\w+", text[1]))
    if missing := header - {port.name for port in ports}:
        raise ValueError(f"the module {module} does not declare {', '.join(sorted(missing))}")
    return ports


def _module(top: str, ports: list[Port], started: bool) -> str:
    """The module with Vitis' ports around Bambu's."""
    connections = {"clock": "ap_clk", "reset": "ap_rst_n", "start_port": "ap_start" if started else "1'b1"}
    connections |= {"done_port": "ap_done", "restart": "restart"}
    data = {port.name: port for port in ports if port.name not in connections}
    outer = ["input ap_clk", "input ap_rst_n", *(["input ap_start"] if started else []), "output ap_done"]
    rams, inner = set(), []
    for name, port in data.items():
        if found := RAM_PORT.match(name):
            rams.add(found[1])
            inner.append(f"wire [{port.bits - 1}:0] {name};")
        else:
            outer.append(port.declared())
        connections[name] = name
    for ram in sorted(rams):
        side_ports, side_logic = _ram(ram, data)
        outer += side_ports
        inner += side_logic
    known = {port.name for port in ports}
    lines = ",\n    ".join(f".{name}({signal})" for name, signal in connections.items() if name in known)
    return (
        f"module {top} (\n    " + ",\n    ".join(outer) + "\n);\n"
        "reg restart = 1; // until the first call after a reset has ended\n"
        "always @(posedge ap_clk)\n"
        "    restart <= !ap_rst_n || (restart && !ap_done);\n"
        + "".join(f"{line}\n" for line in inner)
        + f"{top}_bambu unit (\n    {lines}\n);\nendmodule\n"
    )


def _ram(ram: str, ports: dict[str, Port]) -> tuple[list[str], list[str]]:
    """Ports and logic of a RAM outside; one port of it is used."""
    if f"{ram}_address1" in ports:
        raise ValueError(f"Bambu uses two ports of the RAM {ram}, which has one")
    outer = [f"output [31:0] {ram}_Addr_A", f"output {ram}_EN_A"]
    inner = [
        f"assign {ram}_Addr_A = {{{ram}_address0, 2'b00}};",
        f"assign {ram}_EN_A = {ram}_ce0;",
    ]
    if f"{ram}_d0" in ports:
        outer += [f"output [{BYTES - 1}:0] {ram}_WEN_A", f"output [{8 * BYTES - 1}:0] {ram}_Din_A"]
        inner += [
            f"assign {ram}_WEN_A = {{{BYTES}{{{ram}_we0}}}};",
            f"assign {ram}_Din_A = {ram}_d0;",
        ]
    outer.append(f"input [{8 * BYTES - 1}:0] {ram}_Dout_A")
    if f"{ram}_q0" in ports:
        inner.append(f"assign {ram}_q0 = {ram}_Dout_A;")
    return outer, inner
