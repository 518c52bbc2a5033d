# SPDX-License-Identifier: BSD-2-Clause
"""Benchmarks and measurements: `python -m bench` lists them, `python -m bench NAME` or `make NAME` runs one.

Most write tables and pictures of docs/; the others print, and store JSON in build/bench.
"""

import argparse
import os
import subprocess
import sys

HOST, TEST, SIM = ".venv/installed.stamp build/native.stamp", ".venv/test.stamp", ".venv/soc.stamp"
SIM_TOOLS, TEST_TOOLS = f"build/packages/sim.stamp {SIM}", f"build/packages/test.stamp {TEST}"
PNR = f"{HOST} {SIM_TOOLS} .venv/boards.stamp .venv/pnr.stamp"
DEMO = "build/sim/gateware/obj_dir/Vsim build/firmware/firmware.bin"
# For each name: what make makes first, modules with their arguments, and what it measures.
BENCHES = {
    "bench": (
        f"{HOST} .venv/bench.stamp",
        ["bench.trace_engines"],
        "trace engines, plain trees, libcachesim",
    ),
    "bench-stacks": (
        HOST,
        ["bench.stacks.ratios"],
        "the native stacks beside an older commit's, as ratios (6 min)",
    ),
    "bench-long": (HOST, ["bench.long_trace"], "memory and speed over 10^9 references"),
    "bench-cluster": (
        HOST,
        ["bench.cluster.plan --page docs/cluster.md", "bench.cluster.speed_up --page docs/cluster.md"],
        "curves by one and two workers, 64 simulated ones: docs/cluster.md (15 min)",
    ),
    "bench-allocation": (HOST, ["bench.allocation"], "milliseconds to divide a memory among processes"),
    "bench-replacement": (
        HOST,
        ["litemrc_studies.glass1997.bench.replacement"],
        "references per second through each replacement policy",
    ),
    "bench-multiprogram": (
        HOST,
        ["litemrc_studies.zhou2004.bench.multiprogram"],
        "references per second through several processes",
    ),
    "bench-energy": (
        HOST,
        ["litemrc_studies.zhou2004.bench.energy"],
        "references per second through chips that sleep",
    ),
    "bench-numa": (
        HOST,
        ["litemrc_studies.reference_counters.bench.numa"],
        "references per second through processors that share pages",
    ),
    "bench-placement": (
        HOST,
        ["litemrc_studies.panwar2015.bench.placement --page host/litemrc_studies/panwar2015/page.md"],
        "ns and list work of allocations: table 5 of Panwar's page",
    ),
    "stress-placement": (
        f"{HOST} {TEST_TOOLS}",
        [
            "pytest -q host/litemrc_studies/panwar2015/tests/test_allocator_invariants.py"
            " host/litemrc_studies/jantz2013/tests/test_tray_allocator.py"
        ],
        "10 million random operations through each page allocator",
    ),
    "bench-govern": (
        f"{HOST} {DEMO}",
        ["litemrc_studies.zhou2004.results.loop"],
        "the closed loop in the RTL beside its prediction: Zhou's page",
    ),
    "bench-replication": (
        "sim-refs",
        ["litemrc_studies.reference_counters.results.replication_on_soc"],
        "pages copied by reference counters, in the RTL: docs/remote_pages.md",
    ),
    "glass1997-traces": (
        f"{HOST} build/packages/programs.stamp",
        ["litemrc_studies.glass1997.results.capture"],
        "capture the paper's programs again: tests/data/traces/glass1997 (40 min)",
    ),
    "bench-live": (f"{HOST} {TEST}", ["bench.live"], "cost of litemrc live: docs/live.md"),
    "bench-history": (f"{HOST} {TEST}", ["bench.history"], "a history's checksums; queries over 8,000 files"),
    "bench-serve": (f"{HOST} {TEST}", ["bench.serve"], "100 readers of litemrc serve"),
    "bench-serve-page": (f"{HOST} {TEST}", ["bench.serve_page"], "from an epoch's arrival to the page"),
    "bench-serve-history": (f"{HOST} {TEST}", ["bench.serve_history"], "latency while histories are read"),
    "bench-bandwidth": (
        f"{HOST} {SIM_TOOLS} build/bandwidth/bandwidth.bin",
        ["bench.bandwidth"],
        "kernels and LiteX's mem_speed on the simulated ULX3S: docs/bandwidth.md",
    ),
    "bench-linux": (
        f"linux-ready {TEST}",
        ["bench.linux_overhead"],
        "cost of tracking processes, in the RTL",
    ),
    "bench-linux-profile": (
        f"linux-ready {TEST}",
        ["bench.linux_profile"],
        "cycles of Linux in the RTL by function, with flame graphs (20 min)",
    ),
    "bench-linux-ranks": (
        f"linux-numa {TEST_TOOLS}",
        ["bench.linux_ranks"],
        "10,000 evacuations of ranks under load, in qemu (5 min)",
    ),
    "bench-linux-tail": (
        f"linux-ready {TEST_TOOLS}",
        ["bench.linux_tail"],
        "misses predicted beyond memory: docs/evicted.md (2 min)",
    ),
    "bench-linux-tracker": (
        f"linux-ready {TEST_TOOLS}",
        ["bench.linux_tracker", "bench.linux_tracker_instructions"],
        "the tracker without hardware: docs/os-tracker.md (3 min)",
    ),
    "bench-linux-tracker-cost": (
        f"linux-ready {TEST}",
        ["bench.linux_tracker_cost"],
        "its cycles in the RTL: docs/os-tracker.md (70 min)",
    ),
    "bench-linux-accessed": (
        f"linux-ready {TEST_TOOLS}",
        ["bench.linux_accessed_instructions", "bench.linux_accessed"],
        "accessed bits from the page bitmap: docs/accessed.md (20 min)",
    ),
    "bench-rocket-accessed": (
        f"linux-rocket-ready {TEST_TOOLS}",
        ["bench.linux_accessed --rocket"],
        "refaults where Linux keeps accessed bits: docs/linux.md (20 min)",
    ),
    "damon-truth": (
        f"linux-damon {TEST_TOOLS}",
        ["scripts.damon.damon_truth"],
        "hot pages of DAMON beside all accesses: docs/damon-truth.md (20 min)",
    ),
    "damon-rtl": (
        "linux-damon-ready build/sim-linux/gateware/obj_dir/Vsim",
        ["scripts.damon.damon_rtl"],
        "DAMON with the page bitmap, in the RTL: docs/damon-truth.md (15 min)",
    ),
    "bench-qemu": (
        f"{HOST} {TEST_TOOLS}",
        ["bench.qemu.measure"],
        "the plugin for QEMU: docs/qemu.md (10 min)",
    ),
    "qemu-guests": (
        f"{HOST} build/packages/guests.stamp linux-images",
        ["scripts.guests.guest_results"],
        "curves and speeds of all guests: docs/qemu.md (20 min)",
    ),
    "bench-models": (f"models {HOST}", ["bench.models"], "accesses per second through the model"),
    "renode-bench": (
        "renode-there models build/firmware/firmware.bin",
        ["bench.renode_speed"],
        "monitored accesses per second in Renode",
    ),
    "bench-ranks": (
        f"{HOST} {SIM_TOOLS} {TEST_TOOLS}",
        ["tests.cosim.rank_results"],
        "rank power over 10 million accesses: docs/ranks.md",
    ),
    "hot-cosim": (
        f"{HOST} {SIM_TOOLS} {TEST_TOOLS}",
        ["pytest -q tests/cosim/test_hot_pages_cosim.py -k random_epochs"],
        "20 million operations of hot_pages, RTL against C++",
    ),
    "hot-results": (
        f"{HOST} {SIM_TOOLS} {TEST_TOOLS}",
        ["tests.cosim.hot_results"],
        "recall of hot_pages over 36 traces: docs/hot-pages.md (10 min)",
    ),
    "engine-results": (
        f"{HOST} {SIM_TOOLS} {TEST_TOOLS}",
        ["tests.cosim.engine_results"],
        "accuracy and rate of bucket_stack: docs/engines.md, docs/drops.svg",
    ),
    "bucket-study": (
        HOST,
        ["tests.cosim.bucket_study"],
        "errors of bucket_stack by other rules: docs/engines.md, docs/sub-buckets.svg",
    ),
    "pnr": (PNR, ["scripts.boards.pnr"], "units, and the ULX3S with and without monitor: docs/engines.md"),
    "pnr-units": (
        PNR,
        ["scripts.boards.pnr_units"],
        "the units alone, placed and routed: build/pnr/units.json",
    ),
    "pnr-ci": (PNR, ["scripts.boards.pnr_units --main"], "the default monitor's units, and their targets"),
    "boards-synthesis": (PNR, ["scripts.boards.synthesize_boards"], "synthesis of every board's SoC"),
    "boards-bitstreams": (
        "ulx3s versa_ecp5 orangecrab",
        ["scripts.boards.bitstream_table"],
        "bitstreams without Linux, and their sizes: docs/boards/README.md (15 min)",
    ),
    "boards-seeds": (PNR, ["scripts.boards.seed_table"], "ECP5 SoCs for Linux with three seeds (1 h)"),
    "results-demo": (
        f"{HOST} {DEMO} sim-ranks linux-ready {TEST_TOOLS}",
        [
            "scripts.docs.demo_pages litemrc demo soc --sim build/sim --firmware build/firmware/firmware.bin"
            " --out build/demo",
            "scripts.docs.demo_pages litemrc demo ranks --sim build/sim-ranks"
            " --firmware build/firmware-ranks/firmware.bin --out build/ranks-demo",
            "scripts.docs.demo_pages litemrc demo linux --sim build/sim-linux --shim build/boot/shim.bin"
            " --images build/linux --out build/linux-demo",
            "scripts.docs.serve_picture",
        ],
        "what the demos and litemrc serve show, in README and docs (25 min)",
    ),
    "results-linux-smp": (
        f"linux-smp-ready {TEST_TOOLS}",
        [
            "scripts.docs.demo_pages litemrc demo linux --sim build/sim-linux-smp"
            " --shim build/boot-smp/shim.bin --images build/linux-smp --out build/linux-smp-demo"
            " --page-tables"
        ],
        "the demo on two harts: docs/smp.md (25 min)",
    ),
    "results-linux-rocket": (
        f"linux-rocket-ready {TEST_TOOLS}",
        [
            "scripts.docs.demo_pages litemrc demo linux --sim build/sim-linux-rocket"
            " --shim build/boot-rocket/shim.bin --images build/linux-rocket --out build/linux-rocket-demo"
        ],
        "the demo on 64 bits: docs/linux.md (30 min)",
    ),
}
ENVIRONMENT = {
    "hot-cosim": {"LITEMRC_HOT_OPERATIONS": "20000000"},
    "stress-placement": {"LITEMRC_STRESS_OPERATIONS": "10000000"},
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=BENCHES, metavar="NAME")
    parser.add_argument("further", nargs=argparse.REMAINDER, help="arguments of its last module")
    args = parser.parse_args()
    if not args.name:
        print("\n".join(f"{name:<26}{purpose}" for name, (_, _, purpose) in BENCHES.items()))
        return 0
    needs, runs, _ = BENCHES[args.name]
    subprocess.run(["make", "--no-print-directory", *needs.split()], check=True)
    environment = os.environ | ENVIRONMENT.get(args.name, {})
    for number, run in enumerate(runs, 1):
        command = [".venv/bin/python", "-m", *run.split(), *(args.further if number == len(runs) else [])]
        print(" ".join(command), flush=True)
        if code := subprocess.run(command, env=environment).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
