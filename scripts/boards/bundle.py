#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a bundle of a board's build: what loads the board and talks to it, in a folder and a zip file.

    python -m scripts.boards.bundle build/ulx3s-linux --out build/bundles/ulx3s-linux

`make bundle BOARD=ulx3s-linux` builds the board first. The same build makes the same bundle.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from string import Template

from litemrc.device.bundle import BITSTREAM, DESCRIPTION, FORMAT
from litemrc_soc.boards.open_tools import TOOLS

ROOT = Path(__file__).resolve().parents[2]
README = Path(__file__).with_name("bundle_readme.md")
# Files of a build, by their places in the bundle; a bundle has those that the build made.
CONTENTS = {
    BITSTREAM: (BITSTREAM, "the bitstream"),
    "csr.json": ("csr.json", "addresses of registers and memories, as bridges of LiteX read them"),
    "litemrc.svd": ("litemrc.svd", "the same for debuggers"),
    "csr.h": ("software/include/generated/csr.h", "the same for firmware"),
    "report.json": ("report.json", "cells, and what nextpnr says of the clocks"),
    "firmware.bin": ("firmware/firmware.bin", "the bare-metal firmware; it is in the bitstream's ROM"),
    "bios.bin": ("software/bios/bios.bin", "LiteX's BIOS; it is in the bitstream's ROM"),
    "boot/boot.json": ("boot/boot.json", "where the BIOS loads the other files"),
    "boot/Image": ("boot/Image", "the kernel"),
    "boot/litemrc.dtb": ("boot/litemrc.dtb", "the device tree"),
    "boot/litemrc.dts": ("boot/litemrc.dts", "its source"),
    "boot/initramfs.cpio": ("boot/initramfs.cpio", "busybox, driver, daemon and programs"),
    "boot/shim.bin": ("boot/shim.bin", "what runs below the kernel"),
}
HEADER = ("litemrc_regs.h", ROOT / "firmware/include/litemrc_regs.h", "fields of the monitor's registers")
PACKAGES = ("litemrc", "litex", "litedram", "litex-boards", "migen")


def said_version(program):
    """Return what a program, or its build of YoWASP, says of its version; "" if it is not there."""
    found = shutil.which(program) or shutil.which(f"yowasp-{program}")
    if not found:
        return ""
    done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    return next((line.strip() for line in lines if re.search(r"\d\.\d", line)), "")


def versions(build):
    """Return what the bundle was made by; without git no revision is known."""
    found = {name: version(name) for name in PACKAGES}
    found["revision"] = subprocess.run(
        ["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    found |= {tool: said_version(tool) for tool in (*TOOLS, "riscv64-unknown-elf-gcc")}
    image = build / "boot/Image"
    if image.exists():
        banner = re.search(rb"Linux version (\S+)", image.read_bytes())
        found["linux"] = banner[1].decode() if banner else ""
    return {name: text for name, text in found.items() if text}


def copy_files(build, out):
    """Copy the build's files; returns what each of them is, by its path in the bundle."""
    there = {name: (build / source, what) for name, (source, what) in CONTENTS.items()}
    there[HEADER[0]] = HEADER[1:]
    copied = {}
    for name, (source, what) in there.items():
        if source.exists():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, out / name)
            copied[name] = what
    return copied


def write_readme(out, about, files):
    """Write README.md from `bundle_readme.md`: how to load this board, and what its console says."""
    load, _, rest = README.read_text().partition("<!-- linux -->\n")
    boot, _, bare_metal = rest.partition("<!-- bare metal -->\n")
    listing = "\n".join(f"| `{name}` | {what} |" for name, what in files.items())
    facts = about | {"files": listing, "card": about["sd_card"] or "none: over the console, as below"}
    if BITSTREAM not in files:
        facts["missing"] = (
            "**There is no bitstream**: the vendor's tool was not there when this was made.\n\n"
        )
    text = Template(load + (boot if about["boot"] == "linux" else bare_metal)).substitute(
        {"missing": ""} | facts
    )
    (out / "README.md").write_text(text)


def bundle(build, out):
    """Write the bundle of a build; returns its description.

    Raises
    ------
    ValueError
        the folder is not that of a board's build.
    """
    try:
        about = json.loads((build / "board.json").read_text())
        missing = {"name", "device", "boot", "identifier"} - set(about)
    except (OSError, ValueError) as error:
        raise ValueError(f"{build}: not the build of a board: {error}") from error
    if missing:
        raise ValueError(f"{build}/board.json lacks {', '.join(sorted(missing))}: build the board again")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    files = copy_files(build, out)
    write_readme(out, about, files)
    files["README.md"] = "how to load the board, and what to expect"
    described = {
        "format": FORMAT,
        "board": about["name"],
        **{name: about[name] for name in ("title", "device", "boot", "identifier")},
        "versions": versions(build),
        "files": {
            name: {
                "bytes": (out / name).stat().st_size,
                "sha256": hashlib.sha256((out / name).read_bytes()).hexdigest(),
                "what": what,
            }
            for name, what in sorted(files.items())
        },
    }
    (out / DESCRIPTION).write_text(json.dumps(described, indent=4) + "\n")
    sums = {name: each["sha256"] for name, each in described["files"].items()}
    sums[DESCRIPTION] = hashlib.sha256((out / DESCRIPTION).read_bytes()).hexdigest()
    (out / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    return described


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path, help="folder of a board's build, such as build/ulx3s-linux")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder to write; a zip file is put beside it"
    )
    args = parser.parse_args()
    try:
        described = bundle(args.build.resolve(), args.out)
    except (ValueError, RuntimeError) as error:
        print(f"bundle.py: {error}", file=sys.stderr)
        return 2
    for name, each in described["files"].items():
        print(f"{name:<22} {each['bytes']:>10,} bytes  {each['what']}")
    archive = shutil.make_archive(str(args.out), "zip", args.out.parent, args.out.name)
    print(f"{args.out}, {Path(archive).name}: {described['identifier']}")
    if BITSTREAM not in described["files"]:
        print("bundle.py: the build has no bitstream, and so the bundle has none", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
