# SPDX-License-Identifier: BSD-2-Clause
"""A counterexample as values of signals, cycle by cycle: the AIGER file simulated with its inputs."""

from collections import defaultdict
from pathlib import Path


class Aiger:
    """A binary AIGER file (version 1.0: inputs, latches, outputs, AND gates), to be stepped in cycles."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        end = data.index(b"\n")
        _, self.inputs, latches, outputs, gates = map(int, data[:end].split()[1:6])
        lines, at = [], end + 1
        for _ in range(latches + outputs):
            end = data.index(b"\n", at)
            lines.append(int(data[at:end].split()[0]))
            at = end + 1
        self.next, self.outputs = lines[:latches], lines[latches:]
        self.gates = []
        for number in range(gates):
            left = 2 * (self.inputs + latches + number + 1)
            deltas = []
            for _ in range(2):
                delta = shift = 0
                while True:
                    byte, at = data[at], at + 1
                    delta |= (byte & 0x7F) << shift
                    shift += 7
                    if byte < 0x80:
                        break
                deltas.append(delta)
            first = left - deltas[0]
            self.gates.append((first, first - deltas[1]))

    def run(self, inputs: list[str]):
        """Yield the value of every variable in each cycle; registers start from 0."""
        state = [0] * len(self.next)
        for vector in inputs:
            value = [0, *(int(bit == "1") for bit in vector), *state]
            for first, second in self.gates:
                value.append((value[first >> 1] ^ first & 1) & (value[second >> 1] ^ second & 1))
            yield value
            state = [value[literal >> 1] ^ literal & 1 for literal in self.next]


def trace(folder: Path, witness: list[str]) -> str:
    """Return the signals that change in a run, one line each, one column a cycle (hexadecimal)."""
    bits = defaultdict(dict)  # name: {bit: literal, inverted for registers that start from 1}
    aiger = Aiger(folder / "top.aig")
    for line in (folder / "top.map").read_text().splitlines():
        match line.split():
            case ["input" | "latch" | "invlatch" as kind, number, bit, name]:
                first = 0 if kind == "input" else aiger.inputs
                bits[name][int(bit)] = (first + int(number) + 1, kind == "invlatch")
            case ["output", number, bit, name]:
                literal = aiger.outputs[int(number)]
                bits[name][int(bit)] = (literal >> 1, bool(literal & 1))
    rows = {name: [] for name in bits}
    for value in aiger.run(witness):
        for name, places in bits.items():
            rows[name].append(sum((value[at] ^ inverted) << bit for bit, (at, inverted) in places.items()))
    width = max(map(len, rows))
    shown = [
        f"{name:{width}} " + " ".join(f"{each:>3x}" for each in values)
        for name, values in sorted(rows.items())
        if any(values)
    ]
    return (
        "\n".join([f"{'cycle':{width}} " + " ".join(f"{n:>3}" for n in range(len(witness))), *shown]) + "\n"
    )
