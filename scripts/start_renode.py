#!/usr/bin/env python3
"""Starts the machine in Renode, its serial link on a TCP port; Ctrl-D or `quit` in Renode's monitor ends it.

    python scripts/start_renode.py [--linux] [--port 1234]
    python scripts/start_renode.py --check

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
SCRIPTS = {False: "litemrc.resc", True: "litemrc_linux.resc"}
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
    parser.add_argument("--linux", action="store_true", help="Linux instead of the bare-metal firmware")
    parser.add_argument("--port", type=int, default=1234, help="TCP port of the link (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="only check whether Renode is usable")
    args = parser.parse_args()
    if reason := why_not():
        print(f"{reason}\n{INSTALL}", file=sys.stderr)
        sys.exit(2)
    if args.check:
        return
    script, console = REPO / "renode" / SCRIPTS[args.linux], REPO / "build/renode/console.log"
    url = f"socket://localhost:{args.port}"
    print(f"link:    {url}    litemrc collect --port {url} --epochs 40 --run zipf --out curves.parquet")
    print(f"console: {console.relative_to(REPO)}", flush=True)
    commands = [
        f"$port={args.port}",
        f"include @{script}",
        f"sysbus.uart CreateFileBackend @{console} true",
        "start",
    ]
    os.execvp("renode", ["renode", "--disable-xwt", "--console", "-e", "; ".join(commands)])


if __name__ == "__main__":
    main()
