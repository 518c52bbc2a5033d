"""Section 6 of Jantz et al. 2013: node affinity by colors equals that by a NUMA library."""

import numpy as np
from litemrc.energy.parts.files import find_part
from litemrc.machines.trays import views
from litemrc.machines.trays.hardware import PAGES_OF_MIB, Hardware
from litemrc.machines.trays.memory import Memory
from litemrc.machines.trays.scrambler import Scrambler
from litemrc.native.placement import allocate_pages
from litemrc.policies.trays.intents import parse_intents

EDEN_MIB = 512  # area of a node's threads
NODES = 2
_INTENTS = "INTENT MEM-AFFINITY\n" + "".join(f"MEM-AFFINITY NODE{node} {node}\n" for node in range(NODES))


def affinity_table() -> str:
    """Return the share of each thread's eden on its own node, for three ways of allocation."""
    ways = {"default": _default, "node named in the request": _request, "node affinity colors": _colors}
    rows = []
    for name, allocate in ways.items():
        local = [f"{100 * share:.1f} %" for share in allocate(_memory(trays=name.endswith("colors")))]
        rows.append(f"| {name} | " + " | ".join(local) + " |")
    heads = "| eden in local memory | " + " | ".join(f"node {node}" for node in range(NODES)) + " |"
    return "\n".join([heads, "| --- |" + " ---: |" * NODES, *rows])


def _memory(trays: bool) -> Memory:
    """Return the paper's machine with both sockets, fragmented."""
    hardware = Hardware(find_part("MT41J256M8-187E:D"), trays=16, nodes=NODES)
    memory = Memory(hardware, "tray" if trays else "buddy")
    Scrambler(8192 * PAGES_OF_MIB, 1).run(memory, np.random.default_rng(1))
    return memory


def _areas() -> list[tuple[int, int]]:
    pages = EDEN_MIB * PAGES_OF_MIB
    return [(node * pages, (node + 1) * pages) for node in range(NODES)]


def _default(memory: Memory) -> list[float]:
    for begin, end in _areas():
        memory.touch(0, np.arange(begin, end))
    return _local(memory)


def _request(memory: Memory) -> list[float]:
    """Name the node in the request, as numa_tonode_memory does."""
    shares = []
    for node, (begin, end) in enumerate(_areas()):
        frames = allocate_pages(memory.allocator, end - begin, node=node).astype(np.int64)
        nodes = memory.tray_of(frames) * NODES // memory.hardware.trays
        shares.append(float((nodes == node).mean()))
    return shares


def _colors(memory: Memory) -> list[float]:
    memory.guidance.intend(0, parse_intents(_INTENTS), NODES * EDEN_MIB * PAGES_OF_MIB, memory.trays())
    for node, (begin, end) in enumerate(_areas()):
        memory.guidance.paint(0, begin, end, f"NODE{node}")
        memory.touch(0, np.arange(begin, end))
    return _local(memory)


def _local(memory: Memory) -> list[float]:
    shares = []
    for node, (begin, end) in enumerate(_areas()):
        backing = views.backing(memory, 0, begin, end)
        mine = [memory.hardware.node(tray) == node for tray in range(memory.hardware.trays)]
        shares.append(float(backing[mine].sum() / backing.sum()))
    return shares
