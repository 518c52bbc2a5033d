"""How fast the machine in Renode runs, the monitor on and off: two tables, build/bench/renode_speed.json.

First a loop of three instructions, one of them a load, that runs as long as it should; then a real firmware.

The firmware runs each of its programs once (boot argument measure=1). Accesses are loads and stores of the
processor, to DRAM and SRAM alike; those of the DRAM are what its caches let through.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from litemrc.device.simulator import set_bootargs
from renode.renode_machine import FIRMWARE, MODEL, REPO, RenodeMachine, why_not

OUT = REPO / "build/bench"
MIPS = 1000  # above what can be reached: virtual time shall not hold the processor up


# lui t0, 0x40000; again: lw t1, 0(t0); addi t2, t2, 1; j again
LOOP = (0x400002B7, 0x0002A303, 0x00138393, 0xFF9FF06F)
# In turn; M instructions each, for some seconds.
TURNS = (("never on", None, 1000), ("on", 1, 10), ("off again", 0, 1000))


def measure_loop(run_dir: Path) -> list[dict[str, float]]:
    """The same processor with the monitor never on, on, and off again."""
    csr = json.loads((REPO / "build/sim/csr.json").read_text())
    control, sram = csr["csr_registers"]["mrc_control"]["addr"], csr["memories"]["sram"]["base"]
    commands = ["$port=0", f"include @{REPO}/renode/litemrc.resc", 'python "import time"']
    commands += [f"sysbus WriteDoubleWord {sram + 4 * i:#x} {word:#x}" for i, word in enumerate(LOOP)]
    commands += [f"sysbus.cpu PC {sram:#x}"]
    for _, enable, instructions in TURNS:
        if enable is not None:
            commands.append(f"sysbus WriteDoubleWord {control:#x} {enable}")
        commands += [
            f"sysbus.cpu PerformanceInMips {instructions}",
            'python "began = time.time()"',
            'emulation RunFor "1"',
            "python \"print('took %.3f' % (time.time() - began))\"",
            "sysbus.cpu ExecutedInstructions",
            "sysbus.mrc HookedAccesses",
        ]
    script = run_dir / "loop.resc"
    script.write_text("\n".join([*commands, "quit", ""]))
    told = subprocess.run(
        ["renode", "--disable-xwt", "--console", "--plain", "-e", f"include @{script}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    took = [float(seconds) for seconds in re.findall(r"took ([\d.]+)", told)]
    numbers = [int(number, 16) for number in re.findall(r"0x([0-9A-F]{16})\b", told)]
    instructions, hooked = np.diff(numbers[0::2], prepend=0), np.diff(numbers[1::2], prepend=0)
    return [
        {"monitor": name, "mips": float(i / s / 1e6), "monitored_accesses_per_s": float(h / s)}
        for (name, _, _), i, h, s in zip(TURNS, instructions, hooked, took, strict=True)
    ]


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
    OUT.mkdir(parents=True, exist_ok=True)
    loop = measure_loop(OUT)
    print("| loop, monitor | M instructions/s | M monitored accesses/s |\n| --- | --- | --- |")
    for row in loop:
        print(f"| {row['monitor']} | {row['mips']:.1f} | {row['monitored_accesses_per_s'] / 1e6:.2f} |")
    print()
    rows = [measure(monitor, OUT / f"renode_speed_{monitor}") for monitor in (0, 1)]
    columns = ("firmware, monitor", "M instructions/s", "M monitored accesses/s", "M DRAM accesses/s")
    print(f"| {' | '.join(columns)} |\n" + "| --- " * len(columns) + "|")
    for row in rows:
        rates = [row["mips"], row["monitored_accesses_per_s"] / 1e6, row["dram_accesses_per_s"] / 1e6]
        print(
            f"| {'on' if row['monitor'] else 'off'} | " + " | ".join(f"{rate:.2f}" for rate in rates) + " |"
        )
    (OUT / "renode_speed.json").write_text(json.dumps({"loop": loop, "firmware": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
