#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the device tree of a LiteMRC SoC, and the list of the images in its memory when Linux starts.

    generate.py --csr build/sim-linux/csr.json --image build/linux/Image \
        --initramfs build/linux/initramfs.cpio --out build/linux

writes ``litemrc.dts``, ``litemrc.dtb`` (needs dtc) and ``images.json``, a list of
``{"file", "address", "bytes"}`` with paths relative to the list's folder. Addresses of devices, interrupts,
memory and clock come from LiteX's csr.json; the shim defines the addresses of kernel and device tree
(firmware/boot/litex/config.h). With ``--numa`` each rank of the DRAM is a memory node of its own, with
``numa-node-id``. With ``--shim`` for a board, whose BIOS loads the shim into the DRAM, too: there it is
reserved, and ``boot.json`` lists the four files for the BIOS and for ``litex_term --images``.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from litemrc_gateware.export.blocks import block_of
from litemrc_gateware.export.device_tree import first_interrupt, node

# Offsets in DRAM. Linux wants its image at a multiple of 4 MiB on rv32.
KERNEL_OFFSET = 0
DTB_OFFSET = 0x70_0000
SHIM_OFFSET = 0x7F_0000
INITRAMFS_OFFSET = 0x80_0000
DTB_BYTES_MAX = 64 * 1024
SHIM_BYTES_MAX = 64 * 1024

# retain_initrd: without it the kernel overwrites the archive before it frees it. ramfs: its pages are
# never swapped, so they cost less to create than those of tmpfs. Together they save 4 cycles per byte.
BOOTARGS = "console=liteuart retain_initrd rootfstype=ramfs"
SEED_BYTES = 64  # Linux needs 256 bits; with twice as many it never waits
SUPERVISOR_EXTERNAL, MACHINE_EXTERNAL = 9, 11  # privileged specification, tables 4.2 and 3.6
# Of a processor: its name for Linux, instructions (Rocket's compressed ones are not used), page tables, and
# cycles of a tick of its time.
VEXRISCV = ("spinalhdl,vexriscv", "rv32ima", "sv32", 1)
ROCKET = ("sifive,rocket0", "rv64ima", "sv39", 100)
PLIC_SOURCES = {"rocket": 8, "vexriscv_smp": 31}
LOCAL, OTHER = 10, 20  # distances of NUMA nodes: Devicetree binding numa-distance-map-v1
RANKS = "ranks"
DEVICE_BYTES = 0x100  # of a LiteX register block that Linux maps


class UnusableError(Exception):
    """The input cannot be used; the message is one line."""


def lookup(csr, *path):
    """Return csr[path[0]][path[1]]...; UnusableError if it is absent."""
    for name in path:
        if name not in csr:
            raise UnusableError(f"no {'.'.join(path)}: not the csr.json of the Linux variant of the SoC")
        csr = csr[name]
    return csr


def seed(*files):
    """Return the kernel's random seed, derived from files so that a simulation can be repeated."""
    digest = hashlib.shake_256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.digest(SEED_BYTES)


def cells(*numbers):
    return "<" + " ".join(f"{number:#x}" for number in numbers) + ">"


def uart(csr, name, label):
    """Return a LiteUART's node, without interrupt: the driver polls; Linux would wait for the controller."""
    base = lookup(csr, "csr_bases", name)
    return f"""
		{label}: serial@{base:x} {{
			compatible = "litex,liteuart";
			reg = {cells(base, DEVICE_BYTES)};
		}};
"""


def memory_nodes(csr, numa):
    """Return the memory's node, or with numa one for each rank; the first has the label memory."""
    ram = lookup(csr, "memories", "main_ram")
    count = block_of(csr, RANKS).domains if numa else 1
    each = ram["size"] // count
    nodes = []
    for number in range(count):
        base = ram["base"] + number * each
        node_id = f"\n\t\tnuma-node-id = <{number}>;" if numa else ""
        nodes.append(f"""
	memory{number or ""}: memory@{base:x} {{
		device_type = "memory";
		reg = {cells(base, each)};{node_id}
	}};
""")
    if numa:
        nodes += [movable_ranks(ram["base"], each, count), distance_map(count)]
    return "".join(nodes)


def movable_ranks(base, each, count):
    """Return the areas that keep the kernel's own pages out of all ranks but the first."""
    areas = "".join(
        f"""
		rank@{start:x} {{
			compatible = "shared-dma-pool";
			reusable;
			reg = {cells(start, each)};
		}};
"""
        for start in range(base + each, base + count * each, each)
    )
    return f"""
	reserved-memory {{
		#address-cells = <1>;
		#size-cells = <1>;
		ranges;
{areas}	}};
"""


def distance_map(count):
    """Return the distances: pages leave a rank for the lowest other one, for rank 0 last."""
    rows = (
        " ".join(f"{a} {b} {LOCAL if a == b else OTHER + (b or count)}" for b in range(count))
        for a in range(count)
    )
    return f"""
	distance-map {{
		compatible = "numa-distance-map-v1";
		distance-matrix = {", ".join(f"<{row}>" for row in rows)};
	}};
"""


def shim_area(ram):
    """Return the area of a shim in the DRAM, which serves traps as long as Linux runs."""
    base = ram["base"] + SHIM_OFFSET
    return f"""
	reserved-memory {{
		#address-cells = <1>;
		#size-cells = <1>;
		ranges;

		shim@{base:x} {{
			reg = {cells(base, SHIM_BYTES_MAX)};
		}};
	}};
"""


def monitor_nodes(csr):
    """Return the nodes of the monitor and, if the SoC has one, of the rank meter."""
    names = ["mrc"] + ([RANKS] if RANKS in csr["csr_bases"] else [])
    first = first_interrupt(csr)
    return "\n".join(node(block_of(csr, name), "memory", first, tabs=2) for name in names)


def processor(csr):
    """Return LiteX's name of the processor and its number of harts; csr.json of older LiteX names none."""
    constants = csr["constants"]
    names = [name for name in PLIC_SOURCES if f"config_cpu_type_{name}" in constants]
    return (*names, "vexriscv")[0], constants.get("config_cpu_count", 1)


def cpu_nodes(csr, numa):
    """Return the nodes of the harts, each with its interrupt controller of the label hartN."""
    name, harts = processor(csr)
    names, isa, mmu, _ = ROCKET if name == "rocket" else VEXRISCV
    clock_hz = lookup(csr, "constants", "config_clock_frequency")
    node_of_cpu = "\n\t\t\tnuma-node-id = <0>;" if numa else ""
    return "\n".join(
        f"""
		cpu@{hart} {{
			device_type = "cpu";
			compatible = "{names}", "riscv";
			reg = <{hart}>;
			riscv,isa = "{isa}";
			mmu-type = "riscv,{mmu}";
			clock-frequency = <{clock_hz}>;{node_of_cpu}

			hart{hart}: interrupt-controller {{
				compatible = "riscv,cpu-intc";
				interrupt-controller;
				#address-cells = <0>;
				#interrupt-cells = <1>;
			}};
		}};"""
        for hart in range(harts)
    )


def controller(csr):
    """Return the interrupt controller's node; a PLIC has two contexts a hart, the second for Linux."""
    name, harts = processor(csr)
    if name not in PLIC_SOURCES:
        return f"""
	intc: interrupt-controller {{
		compatible = "litex,vexriscv-intc";
		interrupt-controller;
		#address-cells = <0>;
		#interrupt-cells = <1>;
		interrupts-extended = <&hart0 {SUPERVISOR_EXTERNAL}>;
	}};
"""
    plic = lookup(csr, "memories", "plic")
    modes = (MACHINE_EXTERNAL, SUPERVISOR_EXTERNAL)
    contexts = [f"<&hart{hart} {mode}>" for hart in range(harts) for mode in modes]
    return f"""
	intc: interrupt-controller@{plic["base"]:x} {{
		compatible = "sifive,plic-1.0.0";
		reg = {cells(plic["base"], plic["size"])};
		interrupt-controller;
		#address-cells = <0>;
		#interrupt-cells = <1>;
		interrupts-extended = {", ".join(contexts)};
		riscv,ndev = <{PLIC_SOURCES[name]}>;
	}};
"""


def device_tree(csr, initramfs_bytes, rng_seed, bootargs, timebase_hz=None, numa=False, shim=False):
    """Return the source text of the device tree.

    csr: the parsed csr.json of LiteX; initramfs_bytes: its size; rng_seed: bytes; bootargs: the kernel's
    command line; timebase_hz: frequency of rdtime given to the kernel, by default that of the system clock;
    numa: each rank is a NUMA node; shim: it is in the DRAM.
    """
    if numa and shim:
        raise UnusableError("--numa: of simulated SoCs alone, whose shim is in the ROM, without --shim")
    if numa and RANKS not in lookup(csr, "csr_bases"):
        raise UnusableError("--numa: the SoC has no ranks; build one with sim.py --ranks")
    clock_hz = lookup(csr, "constants", "config_clock_frequency")
    ram = lookup(csr, "memories", "main_ram")
    lookup(csr, "memories", "mrc_window")
    initramfs = ram["base"] + INITRAMFS_OFFSET
    if initramfs_bytes > ram["size"] - INITRAMFS_OFFSET:
        raise UnusableError(
            f"the initramfs has {initramfs_bytes} bytes, more than the memory from {initramfs:#x} on"
        )
    ctrl = lookup(csr, "csr_bases", "ctrl")
    *_, divider = ROCKET if processor(csr)[0] == "rocket" else VEXRISCV
    return f"""/dts-v1/;

/ {{
	#address-cells = <1>;
	#size-cells = <1>;
	model = "{lookup(csr, "constants", "config_identifier")}";
	compatible = "litex,litemrc-soc";

	aliases {{
		serial0 = &console;
		serial1 = &link;
	}};

	chosen {{
		bootargs = "{bootargs}";
		stdout-path = &console;
		linux,initrd-start = {cells(initramfs)};
		linux,initrd-end = {cells(initramfs + initramfs_bytes)};
		rng-seed = [{rng_seed.hex(" ")}];
	}};

	cpus {{
		#address-cells = <1>;
		#size-cells = <0>;
		timebase-frequency = <{timebase_hz or clock_hz // divider}>;
{cpu_nodes(csr, numa)}
	}};
{memory_nodes(csr, numa)}{shim_area(ram) if shim else ""}{controller(csr)}
	soc {{
		#address-cells = <1>;
		#size-cells = <1>;
		compatible = "simple-bus";
		interrupt-parent = <&intc>;
		ranges;

		soc-controller@{ctrl:x} {{
			compatible = "litex,soc-controller";
			reg = {cells(ctrl, 0xC)};
		}};
{uart(csr, "uart", "console")}{uart(csr, "link", "link")}
{monitor_nodes(csr)}	}};
}};
"""


def images(csr, image, initramfs, dtb, shim, out):
    """Return the list for images.json, with shim (None: in the ROM) last; UnusableError if images overlap."""
    base = lookup(csr, "memories", "main_ram", "base")
    if image.stat().st_size > DTB_OFFSET - KERNEL_OFFSET:
        raise UnusableError(
            f"{image} has more than the {DTB_OFFSET - KERNEL_OFFSET} bytes before the device tree"
        )
    if dtb.stat().st_size > DTB_BYTES_MAX:
        raise UnusableError(f"{dtb} has more than {DTB_BYTES_MAX} bytes")
    if shim and shim.stat().st_size > SHIM_BYTES_MAX:
        raise UnusableError(f"{shim} has more than {SHIM_BYTES_MAX} bytes")
    placed = [(image, KERNEL_OFFSET), (dtb, DTB_OFFSET), (initramfs, INITRAMFS_OFFSET)]
    placed += [(shim, SHIM_OFFSET)] if shim else []
    return [
        {"file": os.path.relpath(file, out), "address": base + offset, "bytes": file.stat().st_size}
        for file, offset in placed
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--csr", type=Path, required=True, help="csr.json of the SoC")
    parser.add_argument("--image", type=Path, required=True, help="kernel")
    parser.add_argument("--initramfs", type=Path, required=True, help="uncompressed cpio archive")
    parser.add_argument("--out", type=Path, required=True, help="folder")
    parser.add_argument("--bootargs", default=BOOTARGS, help="kernel's command line (%(default)s)")
    parser.add_argument(
        "--timebase-hz", type=int, help="frequency of rdtime given to the kernel (the system clock)"
    )
    parser.add_argument("--shim", type=Path, help="shim that is loaded into the DRAM")
    parser.add_argument("--numa", action="store_true", help="each rank of the DRAM is a NUMA node")
    args = parser.parse_args()
    try:
        csr = json.loads(args.csr.read_text())
        rng_seed = seed(args.image, args.initramfs)
        size = args.initramfs.stat().st_size
        args.out.mkdir(parents=True, exist_ok=True)
        source, dtb = args.out / "litemrc.dts", args.out / "litemrc.dtb"
        source.write_text(
            device_tree(csr, size, rng_seed, args.bootargs, args.timebase_hz, args.numa, bool(args.shim))
        )
        subprocess.run(["dtc", "-I", "dts", "-O", "dtb", "-o", dtb, source], check=True)
        listed = images(csr, args.image, args.initramfs, dtb, args.shim, args.out)
    except (UnusableError, OSError, ValueError) as error:
        print(f"generate.py: {error}", file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    (args.out / "images.json").write_text(json.dumps(listed, indent=4) + "\n")
    if args.shim:
        # Both readers jump to the last address.
        boot = {Path(entry["file"]).name: hex(entry["address"]) for entry in listed}
        (args.out / "boot.json").write_text(json.dumps(boot, indent=4) + "\n")


if __name__ == "__main__":
    main()
