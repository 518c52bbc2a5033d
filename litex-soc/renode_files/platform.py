"""A platform description for Renode from LiteX's description of a SoC."""

# Renode's classes of LiteX's peripherals, by name in csr.json.
CLASSES = {
    "ctrl": "Miscellaneous.LiteX_SoC_Controller_CSR32",
    "uart": "UART.LiteX_UART",
    "link": "UART.LiteX_UART",
    "timer0": "Timers.LiteX_Timer_CSR32",
    "cpu": "Timers.VexRiscvTimer",  # ours: Renode's has registers of 8 bits
    "mrc": "Miscellaneous.LiteMrcMonitor",
    "ranks": "Miscellaneous.RankPower",
}
NAMES = {"cpu": "cpu_timer"}  # names of csr.json that have another meaning in Renode
ISAS = {"standard": "rv32im_Zicsr_Zifencei", "linux": "rv32ima_Zicsr_Zifencei"}
MACHINE_TIMER = 100  # inputs of Renode's VexRiscv
SUPERVISOR = 1000  # the same external interrupt in supervisor mode


def platform_description(csr, capabilities, caches, repair):
    """Return the text of a .repl.

    Parameters
    ----------
    csr : dict
        csr.json.
    capabilities : dict
        values of the fields of the monitor's registers ``capabilities`` and ``stack_capabilities``, and of
        ``capabilities`` of the ranks.
    caches : object
        l1_bytes, l1_ways, l1_line_bytes, l2_bytes, l2_line_bytes, access_bytes.
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
    supervised = variants[0] == "linux"
    parts = [
        f"// Generated from the gateware by: {repair}. Do not edit.",
        f'cpu: CPU.VexRiscv @ sysbus\n    cpuType: "{ISAS[variants[0]]}"'
        + ("\n    timeProvider: cpu_timer" if "cpu" in csr["csr_bases"] else ""),
        *(_memory(name, memories[name]) for name in ("rom", "sram", "main_ram")),
    ]
    for name, base in csr["csr_bases"].items():
        if name not in CLASSES:  # firmware writes to them without effect
            parts.append(
                _registration(name, "Memory.ArrayMemory", base) + f"\n    size: 0x{_room(csr, name):x}"
            )
            continue
        lines = [_registration(NAMES.get(name, name), CLASSES[name], base)]
        if name in ("mrc", "ranks"):
            lines = [_with_window(name, base, memories[f"{name}_window"])]
        arguments = {
            "timer0": {"frequency": constants["config_clock_frequency"]},
            "cpu": {"frequency": constants["config_clock_frequency"]},
            "mrc": _monitor_arguments(constants, memories["main_ram"], capabilities, caches),
            "ranks": _rank_arguments(constants, capabilities),
        }.get(name, {})
        lines += [f"    {argument}: {value}" for argument, value in arguments.items()]
        if name == "cpu":
            lines.append(f"    IRQ -> cpu@{MACHINE_TIMER}")
        elif f"{name}_interrupt" in constants:
            number = constants[f"{name}_interrupt"]
            also = f" | cpu@{SUPERVISOR + number}" if supervised else ""
            lines.append(f"    IRQ -> cpu@{number}{also}")
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


def _with_window(name, base, window):
    # A window's size may not be a multiple of Renode's pages: it is accessed through the peripheral.
    return (
        f"{name}: {CLASSES[name]} @ {{\n"
        f"        sysbus 0x{base:x};\n"
        f"        sysbus new Bus.BusMultiRegistration {{ address: 0x{window['base']:x}; "
        f'size: 0x{window["size"]:x}; region: "window" }}\n'
        "    }"
    )


def _monitor_arguments(constants, main_ram, capabilities, caches):
    return {
        "cpu": "cpu",
        "frequency": constants["config_clock_frequency"],
        "memoryBase": f"0x{main_ram['base']:x}",
        "pageShift": capabilities["page_shift"],
        "framesLog2": capabilities["frames_log2"],
        "pagesLog2": capabilities["pages_log2"],
        "groupsLog2": capabilities["groups_log2"],
        "contextsLog2": capabilities["contexts_log2"],
        "queueLog2": capabilities["queue_log2"],
        "engine": capabilities["engine"],
        "recentPages": capabilities["recent_pages"],
        "ranks": capabilities["ranks"],
        "l1Bytes": caches.l1_bytes,
        "l1Ways": caches.l1_ways,
        "l1LineBytes": caches.l1_line_bytes,
        "l2Bytes": caches.l2_bytes,
        "l2LineBytes": caches.l2_line_bytes,
        "accessBytes": caches.access_bytes,
        **({"domains": 1 << capabilities["domains_log2"]} if "domains_log2" in capabilities else {}),
    }


def _rank_arguments(constants, capabilities):
    if "domains_log2" not in capabilities:
        return {}
    return {
        "monitor": "mrc",
        "frequency": constants["config_clock_frequency"],
        "domainsLog2": capabilities["domains_log2"],
        "isVirtual": str(bool(capabilities["virtual"])).lower(),
        "states": capabilities["states"],
        "groupsLog2": capabilities["groups_log2"],
        "contextsLog2": capabilities["contexts_log2"],
    }
