"""Elaborates stock targets with the one line of `add_monitor`: a table, and build/targets/summary.json.

    python scripts/targets/elaborate.py               all cases of matrix.py
    python scripts/targets/elaborate.py versa arty    those whose names contain one of these words

Each SoC is built in a process of its own, up to its Verilog in memory. `tap_equal` is null: the benches of
tests/gateware/tap and tests/cosim compare the tap with the memory by memory type, not by target. Exit code 1
if a target does not elaborate, or its frames are not those of its DRAM.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

from matrix import CASES, Case

REPO = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPO / "litex-soc"), str(REPO / "scripts" / "results")]
BUILD = REPO / "build" / "targets"
PAGE = REPO / "docs" / "targets.md"
_LONGEST_S = 600
# Cores that some targets import for options that are not used here.
_UNUSED = (
    "litepcie",
    "litepcie.phy",
    "litepcie.phy.s7pciephy",
    "litepcie.phy.uspciephy",
    "litepcie.phy.usppciephy",
    "litepcie.software",
)


def elaborate(case: Case) -> dict[str, Any]:
    """Return the facts of one SoC with the monitor; LiteX keeps global state: call it once a process."""
    from litemrc_gateware import add_monitor
    from litemrc_gateware.integration.block_rams import block_rams

    for module in _UNUSED:
        sys.modules.setdefault(module, MagicMock())
    base = import_module(f"litex_boards.targets.{case.target}").BaseSoC
    soc = base(integrated_rom_size=0x1_0000, **case.options)  # LiteX's builder gives that size for its BIOS
    monitor = add_monitor(soc)
    blocks = block_rams(monitor)
    soc.finalize()
    soc.get_fragment()
    phy = getattr(soc, "ddrphy", None) or soc.sdrphy
    settings, geometry = phy.settings, soc.sdram.controller.settings.geom
    columns = 2 ** (geometry.bankbits + geometry.rowbits + geometry.colbits)
    frames = 2**soc.mrc_tap.frame_bits
    return {
        "target": case.name,
        "cpu": soc.cpu_type or "none",
        "bus": f"{soc.bus.standard}, {soc.bus.data_width} bits",
        "memory": settings.memtype,
        "ratio": f"1:{settings.nphases}",
        "ranks": settings.nranks,
        "frames": frames,
        "frames_right": frames << 12 == columns * settings.nranks * settings.databits // 8,
        "pages": monitor.pages,
        "sampling": frames // monitor.pages,
        "block_rams": blocks,
        "window": f"0x{soc.bus.regions['mrc_window'].origin:08x}",
        "elaborated": True,
        "tap_equal": None,
    }


def _in_process(number: int) -> dict[str, Any]:
    case = CASES[number]
    command = [sys.executable, __file__, "--case", str(number)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        facts = {"target": case.name, "elaborated": False, "error": " ".join(reason)}
    else:
        facts = json.loads(lines[-1])
    print(f"{case.name}: {facts.get('error') or 'elaborated'}", flush=True)
    return facts


def main(words: list[str]) -> int:
    """Elaborate the chosen cases, two at once; write summary and, for all cases, the page's table."""
    chosen = [at for at, case in enumerate(CASES) if not words or any(word in case.name for word in words)]
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(_in_process, chosen))
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "summary.json").write_text(json.dumps(rows, indent=2) + "\n")
    right = [row for row in rows if row["elaborated"] and row["frames_right"]]
    print(f"{len(right)} of {len(rows)} targets elaborate with the right number of frames")
    if not words and len(right) == len(rows):
        from page_tables import fill_tables

        fill_tables(PAGE, {"targets": table(rows)})
    return int(len(right) < len(rows))


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as Markdown."""
    heads = ("target", "processor", "bus", "memory", "DRAM, MiB", "pages", "sampled", "block RAMs", "window")
    lines = ["| " + " | ".join(heads) + " |", "| --- | --- | --- | --- | --: | --: | --: | --: | --- |"]
    for row in rows:
        cells = (
            row["target"],
            row["cpu"],
            row["bus"],
            f"{row['memory']} {row['ratio']}",
            f"{row['frames'] >> 8:,}",
            f"{row['pages']:,}",
            f"1 of {row['sampling']}" if row["sampling"] > 1 else "all",
            str(row["block_rams"]),
            row["window"],
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--case"]:
        print("\n" + json.dumps(elaborate(CASES[int(sys.argv[2])])))
    else:
        sys.exit(main(sys.argv[1:]))
