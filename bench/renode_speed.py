"""How fast the machine in Renode runs, the monitor off and on: a table, build/bench/renode_speed.json.

A loop of a load and three instructions walks round 8 MiB of DRAM without end. With the monitor off that is
the speed of a processor without a hook; with it on, accesses are the loads, and those of the DRAM what the
caches let through.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from start_renode import why_not

REPO = Path(__file__).resolve().parents[1]
OUT = REPO / "build/bench"
# lw x5,0(x10); add x10,x10,x11; and x10,x10,x13; j loop
LOOP = (0x00052283, 0x00B50533, 0x00D57533, 0xFF5FF06F)
BYTES = 8 << 20
MIPS = 2000  # of virtual time, which Renode does not let run ahead of the host's: more than it can do
OFF, ON = 2, 3  # register control: hold; hold and enable
# What is measured: name, bytes between loads, values of control in turn, millions of instructions.
RUNS = (
    ("off", 4, (OFF,), 1000),
    ("on, word after word", 4, (ON,), 40),
    ("on, page after page", 4096, (ON,), 10),
    ("off again", 4, (ON, OFF), 1000),
)


def script(stride, controls, millions):
    """Renode's commands: the machine, the loop in its ROM, and a run between two looks at the clock."""
    csr = json.loads((REPO / "build/sim/csr.json").read_text())
    dram, register = csr["memories"]["main_ram"]["base"], csr["csr_registers"]["mrc_control"]["addr"]
    return "\n".join(
        [
            "logLevel 3",  # or messages stand amid the numbers
            "$port=0",
            f"include @{REPO}/renode/litemrc.resc",
            *(f"sysbus WriteDoubleWord {4 * place} {code}" for place, code in enumerate(LOOP)),
            *(
                f"sysbus.cpu SetRegister {number} {value}"
                for number, value in ((10, dram), (11, stride), (13, dram | BYTES - 1))
            ),
            f"sysbus.cpu PerformanceInMips {MIPS}",
            *(
                command
                for control in controls  # and a run for what is compiled once
                for command in (f"sysbus WriteDoubleWord {register} {control}", 'emulation RunFor "0.001"')
            ),
            'python "import time; began = time.time()"',
            *("sysbus.cpu ExecutedInstructions", "sysbus.mrc HookedAccesses", "sysbus.mrc DramAccesses"),
            f'emulation RunFor "{millions / MIPS}"',
            *("sysbus.cpu ExecutedInstructions", "sysbus.mrc HookedAccesses", "sysbus.mrc DramAccesses"),
            "python \"print('took %.3f seconds' % (time.time() - began))\"",
            "quit\n",
        ]
    )


def measure(name, stride, controls, millions):
    path = OUT / "renode_speed.resc"
    path.write_text(script(stride, controls, millions))
    told = subprocess.run(
        ["renode", "--disable-xwt", "--console", "--plain", "-e", f"include @{path}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout
    numbers = [int(number, 16) for number in re.findall(r"0x([0-9A-F]{16})\b", told)]
    took = re.search(r"took ([\d.]+) seconds", told)
    if not took or len(numbers) < 6:
        sys.exit(f"renode_speed: Renode did not run the loop:\n{told[-2000:]}")
    seconds = float(took[1])
    rates = [(end - begin) / seconds for begin, end in zip(numbers[-6:-3], numbers[-3:], strict=True)]
    columns = ("instructions_per_s", "monitored_accesses_per_s", "dram_accesses_per_s")
    return {"monitor": name, "seconds": seconds} | dict(zip(columns, rates, strict=True))


def main():
    if missing := why_not():
        sys.exit(f"renode_speed: {missing}")
    OUT.mkdir(parents=True, exist_ok=True)
    rows = [measure(*run) for run in RUNS]
    print("| monitor | MIPS | million monitored accesses/s | million DRAM accesses/s |")
    print("| --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row['monitor']} | {' | '.join(f'{rate / 1e6:.2f}' for rate in [*row.values()][2:])} |")
    (OUT / "renode_speed.json").write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
