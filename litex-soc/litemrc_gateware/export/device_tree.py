# SPDX-License-Identifier: BSD-2-Clause
"""Device tree nodes of monitors, ranks and reference counters, for the tree of litex_json2dts_linux."""

import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from litemrc_gateware.export.blocks import MONITOR_KIND, Block, find_blocks

_TAB = "\t"


def device_tree(csr: dict[str, Any], memories: Mapping[str, str], overlay: bool = False) -> str:
    """Return a fragment that extends the node ``/soc`` of a device tree.

    Parameters
    ----------
    csr
        csr.json.
    memories
        labels of memory nodes, by the name of the monitor; LiteX has the label ``memory`` for the
        memory of ``add_sdram``.
    overlay
        return the source of an overlay instead, for ``fdtoverlay`` and a tree compiled with ``dtc -@``.

    Raises
    ------
    ValueError
        csr.json has no monitor, a memory is not known, or a label is none.
    """
    blocks = find_blocks(csr)
    unknown = sorted(memories.keys() - {block.name for block in blocks})
    if unknown:
        found = ", ".join(block.name for block in blocks)
        raise ValueError(f"--memory {unknown[0]}: the SoC has no such block; it has {found}")
    for block in blocks:
        if block.kind == MONITOR_KIND and block.interrupt is None:
            raise ValueError(f"{block.name} has no interrupt, which its Linux driver needs")
    first = first_interrupt(csr)
    nodes = "\n".join(node(block, _label(csr, block, memories), first) for block in blocks)
    # dtc assumes other cells where it does not see the parent; these are those of LiteX's /soc.
    cells = f"{_TAB}#address-cells = <1>;\n{_TAB}#size-cells = <1>;\n\n" if overlay else ""
    fragment = f"&{{/soc}} {{\n{cells}{nodes}}};\n"
    return f"/dts-v1/;\n/plugin/;\n\n{fragment}" if overlay else fragment


def node(block: Block, memory: str, first_interrupt: int = 0, tabs: int = 1) -> str:
    """Return a block's node.

    Parameters
    ----------
    memory
        label of the node of the memory that it observes.
    first_interrupt
        number of LiteX's interrupt 0 in the interrupt controller.
    tabs
        indentation.
    """
    lines = [
        f"{block.name}: {block.kind}@{block.base:x} {{",
        f'{_TAB}compatible = "{block.compatible}";',
        f"{_TAB}reg = <{block.base:#x} {block.size:#x}>, <{block.window_base:#x} {block.window_size:#x}>;",
    ]
    if block.interrupt is not None:
        lines.append(f"{_TAB}interrupts = <{block.interrupt + first_interrupt:#x}>;")
    lines.append(f"{_TAB}litex,memory = <&{memory}>;")
    for name, value in block.dram.items():
        text = f"<{value:#x}>" if isinstance(value, int) else f'"{value}"'
        lines.append(f"{_TAB}litex,{name.replace('_', '-')} = {text};")
    lines.append("};")
    return "".join(f"{_TAB * tabs}{line}\n" for line in lines)


def _label(csr: dict[str, Any], block: Block, memories: Mapping[str, str]) -> str:
    label = memories.get(block.name)
    if label is None and block.memory_base is not None:
        label = "memory"
    if label is None:
        raise ValueError(
            f"csr.json does not say which memory {block.name} observes: give the label of its node, "
            f"--memory {block.name}=LABEL"
        )
    if not re.fullmatch(r"[A-Za-z_]\w*", label):
        raise ValueError(f"--memory {block.name}={label}: a label has letters, digits and _ only")
    return label


def first_interrupt(csr: dict[str, Any]) -> int:
    """Return the number that LiteX's interrupt 0 has in the processor's interrupt controller.

    It is ``PLIC_EXT_IRQ_BASE`` in the processor's irq.h; without a PLIC 0.
    """
    processors = [
        name.removeprefix("config_cpu_type_")
        for name in csr["constants"]
        if name.startswith("config_cpu_type_")
    ]
    if not processors:
        return 0
    header = resources.files("litex.soc.cores.cpu") / processors[0] / "irq.h"
    if not header.is_file():
        return 0
    found = re.search(r"#define\s+PLIC_EXT_IRQ_BASE\s+(\d+)", header.read_text())
    return int(found[1]) if found else 0
