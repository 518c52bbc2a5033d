# SPDX-License-Identifier: BSD-2-Clause
"""Speed of the machine in Renode with the monitor off and on: a table, build/bench/renode_speed.json.

An endless loop of a load and three instructions cycles through 8 MiB of DRAM. With the monitor off, this is
the speed of a processor without a hook; with it on, accesses are the loads, and DRAM accesses those that
leave the caches.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from scripts.start_renode import why_not

REPO = Path(__file__).resolve().parents[1]
OUT = REPO / "build/bench"
# lw x5,0(x10); add x10,x10,x11; and x10,x10,x13; j loop
LOOP = (0x00052283, 0x00B50533, 0x00D57533, 0xFF5FF06F)
BYTES = 8 << 20
MIPS = 2000  # of virtual time, which never runs ahead of real time: more than Renode can reach
OFF, ON = 2, 3  # register control: hold; hold and enable
# Cases: name, bytes between loads, values of control in turn, millions of instructions.
RUNS = (
    ("off", 4, (OFF,), 1000),
    ("on, word after word", 4, (ON,), 40),
    ("on, page after page", 4096, (ON,), 10),
    ("off again", 4, (ON, OFF), 1000),
)


def script(stride, controls, millions):
    """Return Renode's commands: the machine, the loop in its ROM, and a run between two time stamps."""
    csr = json.loads((REPO / "build/sim/csr.json").read_text())
    dram, register = csr["memories"]["main_ram"]["base"], csr["csr_registers"]["mrc_control"]["addr"]
    return "\n".join(
        [
            "logLevel 3",  # keeps messages out of the numbers
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
                for control in controls  # the first run excludes one-time compilation
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
    output = subprocess.run(
        ["renode", "--disable-xwt", "--console", "--plain", "-e", f"include @{path}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout
    numbers = [int(number, 16) for number in re.findall(r"0x([0-9A-F]{16})\b", output)]
    took = re.search(r"took ([\d.]+) seconds", output)
    if not took or len(numbers) < 6:
        sys.exit(f"renode_speed: Renode did not run the loop:\n{output[-2000:]}")
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
