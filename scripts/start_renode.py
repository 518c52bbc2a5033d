#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Starts the machine in Renode, its serial link on a TCP port; Ctrl-D or `quit` in Renode's monitor ends it.

    python -m scripts.start_renode [--linux] [--port 1234]
    python -m scripts.start_renode --board ulx3s [--bios FILE] [--sd-card FILE] [--port 1234]
    python -m scripts.start_renode --check

If Renode is missing or too old, a message names the required version and how to install it; exit code 2.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
BOARDS = {"ulx3s": "litemrc_ulx3s.resc"}
# The first version whose memory-access hook reports physical addresses.
OLDEST = (1, 15, 2)
INSTALL = """\
How to install it, one of:
  portable package   renode-1.15.3.linux-portable.tar.gz of https://github.com/renode/renode/releases:
                     unpack it, and put its folder on PATH
  container          docker run -it --rm --network host -v "$PWD:$PWD" -w "$PWD" antmicro/renode:1.15.3 \\
                       renode --disable-xwt --console -e "include @$PWD/renode/litemrc.resc; start"
  GitHub action      antmicro/renode-test-action: see docs/renode.md"""


def why_not(program="renode"):
    """Return why a program of Renode cannot be used, in one line; None if it can."""
    oldest = ".".join(map(str, OLDEST))
    for name in ("renode", program):
        if not shutil.which(name):
            return f"{name} is not on PATH; LiteMRC needs Renode {oldest} or newer"
    output = subprocess.run(
        ["renode", "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    ).stdout
    version = re.search(r"v?(\d+)\.(\d+)\.(\d+)", output)
    if not version:
        return f"renode --version reports no version: {output.strip()!r}"
    if tuple(map(int, version.groups())) < OLDEST:
        return f"Renode {version[0]} is too old; LiteMRC needs {oldest} or newer"
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    machine = parser.add_mutually_exclusive_group()
    machine.add_argument("--linux", action="store_true", help="Linux instead of the bare-metal firmware")
    machine.add_argument("--board", choices=BOARDS, help="the board's SoC: LiteX's BIOS boots an SD card")
    parser.add_argument(
        "--bios", type=Path, help="bios.bin of a build or bundle (default: make renode-ulx3s-ready)"
    )
    parser.add_argument("--sd-card", type=Path, help="image of litemrc sdcard (default: the same)")
    parser.add_argument("--port", type=int, default=1234, help="TCP port of the link (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="only check whether Renode is usable")
    args = parser.parse_args()
    if reason := why_not():
        print(f"{reason}\n{INSTALL}", file=sys.stderr)
        sys.exit(2)
    if args.check:
        return
    files = {"bios": args.bios, "sd_card": args.sd_card}
    files = {name: path.resolve() for name, path in files.items() if path}
    if files and not args.board:
        parser.error("--bios and --sd-card need --board")
    if missing := [str(path) for path in files.values() if not path.exists()]:
        parser.error(f"no such file: {', '.join(missing)}")
    script = REPO / "renode" / BOARDS.get(args.board, "litemrc_linux.resc" if args.linux else "litemrc.resc")
    console, program = REPO / "build/renode/console.log", "intr" if args.linux or args.board else "zipf"
    url = f"socket://localhost:{args.port}"
    print(f"link:    {url}    litemrc collect --port {url} --epochs 40 --run {program} --out curves.parquet")
    print(f"console: {console.relative_to(REPO)}", flush=True)
    commands = [
        f"$port={args.port}",
        *(f"${name}=@{path}" for name, path in files.items()),
        f"include @{script}",
        f"sysbus.uart CreateFileBackend @{console} true",
        "start",
    ]
    os.execvp("renode", ["renode", "--disable-xwt", "--console", "-e", "; ".join(commands)])


if __name__ == "__main__":
    main()
