"""How fast the machine in Renode runs, the monitor on and off: a table, build/bench/renode_speed.json.

The firmware runs each of its programs once (boot argument measure=1). Accesses are loads and stores of the
processor, to DRAM and SRAM alike; those of the DRAM are what its caches let through.
"""

import json
import re
import sys
import time
from pathlib import Path

from litemrc.device.simulator import set_bootargs
from renode.renode_machine import FIRMWARE, MODEL, REPO, RenodeMachine, why_not

OUT = REPO / "build/bench"
MIPS = 1000  # above what can be reached: virtual time shall not hold the processor up


def measure(monitor: int, run_dir: Path) -> dict[str, float]:
    run_dir.mkdir(parents=True, exist_ok=True)
    image = run_dir / "firmware.bin"
    image.write_bytes(set_bootargs(FIRMWARE, f"measure=1 monitor={monitor}"))
    (run_dir / "console.log").unlink(missing_ok=True)
    commands = ("sysbus.mrc StopRecording", f"sysbus.cpu PerformanceInMips {MIPS}")
    with RenodeMachine(run_dir, *commands, firmware=image) as machine:
        began = time.monotonic()
        machine.wait_said(machine.console, "measure: done", timeout_s=600)
        took = time.monotonic() - began
        machine.command("pause")
        for value in (
            "sysbus.cpu ExecutedInstructions",
            "sysbus.mrc HookedAccesses",
            "sysbus.mrc DramAccesses",
        ):
            machine.command(value)
    told = machine.log.read_text(errors="replace")
    numbers = [int(number, 16) for number in re.findall(r"0x([0-9A-F]{16})\b", told)]
    instructions, hooked, dram = numbers[-3:]
    return {
        "monitor": monitor,
        "mips": instructions / took / 1e6,
        "monitored_accesses_per_s": hooked / took,
        "dram_accesses_per_s": dram / took,
        "seconds": took,
    }


def main() -> None:
    if missing := why_not(MODEL, FIRMWARE):
        sys.exit(f"renode_speed.py: {missing}")
    rows = [measure(monitor, OUT / f"renode_speed_{monitor}") for monitor in (0, 1)]
    columns = ("monitor", "M instructions/s", "M monitored accesses/s", "M DRAM accesses/s")
    print(f"| {' | '.join(columns)} |\n" + "| --- " * len(columns) + "|")
    for row in rows:
        rates = [row["mips"], row["monitored_accesses_per_s"] / 1e6, row["dram_accesses_per_s"] / 1e6]
        print(
            f"| {'on' if row['monitor'] else 'off'} | " + " | ".join(f"{rate:.2f}" for rate in rates) + " |"
        )
    (OUT / "renode_speed.json").write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
