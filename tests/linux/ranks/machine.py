# SPDX-License-Identifier: BSD-2-Clause
"""qemu's machine `virt` with memory in four ranks, each a NUMA node, like the SoC's: docs/ranks-linux.md."""

import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.linux.qemu import IMAGES, SHIM, Qemu, machine

BASE = 0x8000_0000
RANKS = 4
PAGE = 4096
DTB, INITRAMFS = BASE + 0xB0_0000, BASE + 0xC0_0000  # in rank 0, behind the kernel
ENTRY = DTB - PAGE
LOCAL, OTHER = 10, 20


def distance(here: int, there: int) -> int:
    """Return a distance: pages leave a rank for the lowest other one, and last for rank 0, the kernel's."""
    return LOCAL if here == there else OTHER + (there or RANKS)


def memory_nodes(base: int, rank_bytes: int) -> str:
    """Return the nodes of the device tree that make each rank a NUMA node, and ranks 1 to 3 movable."""
    starts = [base + rank * rank_bytes for rank in range(RANKS)]
    memory = [
        f'\tmemory@{start:x} {{ device_type = "memory"; reg = <{start:#x} {rank_bytes:#x}>;'
        f" numa-node-id = <{rank}>; }};"
        for rank, start in enumerate(starts)
    ]
    areas = [
        f'\t\trank@{start:x} {{ compatible = "shared-dma-pool"; reusable;'
        f" reg = <{start:#x} {rank_bytes:#x}>; }};"
        for start in starts[1:]
    ]
    matrix = [f"<{i} {j} {distance(i, j)}>" for i in range(RANKS) for j in range(RANKS)]
    return "\n".join(
        [
            *memory,
            "\treserved-memory { #address-cells = <1>; #size-cells = <1>; ranges;",
            *areas,
            "\t};",
            '\tdistance-map { compatible = "numa-distance-map-v1";',
            f"\t\tdistance-matrix = {', '.join(matrix)}; }};",
        ]
    )


def device_tree(rank_bytes: int, initramfs_bytes: int, bootargs: str) -> str:
    """Return the device tree of `virt`: processor, interrupt controller, serial port and ranks."""
    return f"""/dts-v1/;
/ {{
	#address-cells = <1>;
	#size-cells = <1>;
	compatible = "riscv-virtio";
	chosen {{
		bootargs = "{bootargs}";
		stdout-path = "/soc/serial@10000000";
		linux,initrd-start = <{INITRAMFS:#x}>;
		linux,initrd-end = <{INITRAMFS + initramfs_bytes:#x}>;
		rng-seed = [{bytes(range(64)).hex(" ")}];
	}};
	cpus {{
		#address-cells = <1>;
		#size-cells = <0>;
		timebase-frequency = <10000000>;
		cpu@0 {{
			device_type = "cpu";
			compatible = "riscv";
			reg = <0>;
			riscv,isa = "rv32ima";
			mmu-type = "riscv,sv32";
			numa-node-id = <0>;
			cpu: interrupt-controller {{
				compatible = "riscv,cpu-intc";
				interrupt-controller;
				#interrupt-cells = <1>;
			}};
		}};
	}};
{memory_nodes(BASE, rank_bytes)}
	soc {{
		#address-cells = <1>;
		#size-cells = <1>;
		compatible = "simple-bus";
		interrupt-parent = <&plic>;
		ranges;
		plic: plic@c000000 {{
			compatible = "sifive,plic-1.0.0";
			reg = <0xc000000 0x600000>;
			interrupts-extended = <&cpu 11>, <&cpu 9>;
			interrupt-controller;
			#interrupt-cells = <1>;
			riscv,ndev = <53>;
		}};
		serial@10000000 {{
			compatible = "ns16550a";
			reg = <0x10000000 0x100>;
			interrupts = <10>;
			clock-frequency = <3686400>;
		}};
	}};
}};
"""


@dataclass
class RanksMachine(Qemu):
    """`Qemu` with a device tree of its own: qemu's describes one memory, and lies in the last rank.

    rank_mb: MiB of each rank.
    """

    suffix: str = "-numa"
    rank_mb: int = 16

    def _command(self) -> list[str]:
        initramfs = self.folder / "initramfs.cpio"
        parts = (IMAGES / f"initramfs{self.suffix}.cpio", *self.overlay)
        initramfs.write_bytes(b"".join(path.read_bytes() for path in parts))
        rank_bytes = self.rank_mb << 20
        assert INITRAMFS + initramfs.stat().st_size <= BASE + rank_bytes, (
            "the initramfs is larger than rank 0"
        )
        source, dtb, entry = (self.folder / name for name in ("ranks.dts", "ranks.dtb", "entry.bin"))
        source.write_text(device_tree(rank_bytes, initramfs.stat().st_size, f"console=ttyS0 {self.bootargs}"))
        subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", dtb, source], check=True)
        # lui a1, DTB; li a0, 0; lui t0, BASE; jr t0: the shim with this device tree in place of qemu's.
        entry.write_bytes(struct.pack("<4I", DTB | 11 << 7 | 0x37, 0x513, BASE | 5 << 7 | 0x37, 0x28067))
        return [
            *machine(32),
            *("-m", str(RANKS * self.rank_mb)),
            *("-display", "none", "-no-reboot", "-serial", "stdio", *self.monitor.arguments),
            *("-bios", str(SHIM), "-kernel", str(IMAGES / f"Image{self.suffix}")),
            *_loaded(dtb, DTB),
            *_loaded(initramfs, INITRAMFS),
            *_loaded(entry, ENTRY, ",cpu-num=0"),
            *self.arguments,
        ]


def _loaded(file: Path, address: int, more: str = "") -> Sequence[str]:
    return "-device", f"loader,file={file},addr={address:#x},force-raw=on{more}"
