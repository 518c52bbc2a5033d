# SPDX-License-Identifier: BSD-2-Clause
"""A platform description for Renode from LiteX's description of a SoC."""

import json

from litemrc_gateware.export.renode import entries, interrupt_line

# Classes of LiteX's peripherals, by name in csr.json; Renode's, or ours in renode/peripherals.
CLASSES = {
    "ctrl": "Miscellaneous.LiteXController",
    "uart": "UART.LiteXUart",
    "link": "UART.LiteXUart",
    "timer0": "Timers.LiteX_Timer_CSR32",
    "cpu": "Timers.VexRiscvTimer",
    "identifier_mem": "Miscellaneous.LiteXIdentifier",
    "spisdcard": "SPI.LiteXSpiMaster",
}
NAMES = {"cpu": "cpu_timer"}  # names of csr.json that have another meaning in Renode
ISAS = {"standard": "rv32im_Zicsr_Zifencei", "linux": "rv32ima_Zicsr_Zifencei"}
MACHINE_TIMER = 100  # input of Renode's VexRiscv


def platform_description(csr, layouts, repair):
    """Return the text of a .repl.

    Parameters
    ----------
    csr : dict
        csr.json.
    layouts : dict
        what ``litemrc_gateware.export.registers.registers`` returns.
    repair : str
        the command that writes the file.

    Raises
    ------
    ValueError
        a processor that is not known.
    """
    constants, memories = csr["constants"], csr["memories"]
    variants = [name for name in ISAS if f"config_cpu_variant_{name}" in constants]
    if len(variants) != 1:
        raise ValueError(f"renode_export: the processor must be one of {', '.join(ISAS)}")
    ours = entries(csr, layouts, "mrc", "cpu")
    parts = [
        f"// Generated from the gateware by: {repair}. Do not edit.",
        f'cpu: CPU.VexRiscv @ sysbus\n    cpuType: "{ISAS[variants[0]]}"'
        + ("\n    timeProvider: cpu_timer" if "cpu" in csr["csr_bases"] else ""),
        *(_memory(name, memories[name]) for name in ("rom", "sram", "main_ram")),
    ]
    for name, base in csr["csr_bases"].items():
        if name in ours:
            parts.append(ours[name])
            continue
        if name not in CLASSES:  # firmware writes to them without effect
            parts.append(
                _registration(name, "Memory.ArrayMemory", base) + f"\n    size: 0x{_room(csr, name):x}"
            )
            continue
        lines = [_registration(NAMES.get(name, name), CLASSES[name], base)]
        arguments = {
            "timer0": {"frequency": constants["config_clock_frequency"]},
            "cpu": {"frequency": constants["config_clock_frequency"]},
            "identifier_mem": {"text": json.dumps(constants.get("config_identifier", ""))},
        }.get(name, {})
        lines += [f"    {argument}: {value}" for argument, value in arguments.items()]
        if name == "cpu":
            lines.append(f"    IRQ -> cpu@{MACHINE_TIMER}")
        elif f"{name}_interrupt" in constants:
            lines.append(interrupt_line(csr, constants[f"{name}_interrupt"], "cpu"))
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _registration(name, class_, base):
    return f"{name}: {class_} @ sysbus 0x{base:x}"


def _memory(name, region):
    return _registration(name, "Memory.MappedMemory", region["base"]) + f"\n    size: 0x{region['size']:x}"


def _room(csr, name):
    """Return the bytes from a block of registers to the next."""
    bases = sorted(
        [*csr["csr_bases"].values(), csr["memories"]["csr"]["base"] + csr["memories"]["csr"]["size"]]
    )
    base = csr["csr_bases"][name]
    return bases[bases.index(base) + 1] - base
