# SPDX-License-Identifier: BSD-2-Clause
"""Accesses per second through liblitemrc_model, the monitor for functional simulators: a table.

The library is called from C, as by a simulator; this script compiles the loop.
"""

import json
import subprocess
from pathlib import Path

from litemrc_gateware.stacks.engines import ENGINES

REPO = Path(__file__).resolve().parents[1]
OUT = REPO / "build/bench"
ACCESSES = 20_000_000

DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "litemrc_model.h"
#include "litemrc_regs.h"

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct litemrc_model *model = litemrc_model_create(atoi(argv[1]), 8192, 8192, 64, 8, atoi(argv[2]), 0, 0);
	long accesses = atol(argv[3]), random = atoi(argv[4]);
	unsigned state = 1;
	double start;

	(void)argc;
	litemrc_model_set_memory(model, 0x40000000, 8192u << 12, 12, 8, 512);
	litemrc_model_set_caches(model, 4096, 1, 32, 8192, 16);
	litemrc_model_bus_write(model, LITEMRC_CONTROL, LITEMRC_CONTROL_ENABLE); /* the first block is at 0 */
	start = seconds();
	for (long i = 0; i < accesses; i++) {
		unsigned word = i;

		if (random)
			word = (state = state * 1664525u + 1013904223u) >> 8;
		litemrc_model_access(model, 0x40000000 + (word & 0x7fffff) * 4, (i & 3) == 0);
	}
	printf("%.3f %llu\\n", seconds() - start, (unsigned long long)litemrc_model_dram_accesses(model));
	litemrc_model_destroy(model);
	return 0;
}
"""


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    source, binary = OUT / "models.c", OUT / "models"
    source.write_text(DRIVER)
    library = REPO / "build/models"
    subprocess.run(
        [
            *("gcc", "-O2", "-I", REPO / "models", "-I", REPO / "firmware/include", source, "-o", binary),
            *("-L", library, "-llitemrc_model", f"-Wl,-rpath,{library}"),
        ],
        check=True,
    )
    rows = []
    print("| engine | accesses | of the processor, M/s | of the DRAM, M/s |\n| --- | --- | --- | --- |")
    for engine, row in ENGINES.items():
        for random, name in ((0, "in sequence"), (1, "random words")):
            arguments = [str(n) for n in (row.number, row.recent_pages, ACCESSES, random)]
            printed = subprocess.run(
                [binary, *arguments], check=True, capture_output=True, text=True
            ).stdout.split()
            seconds, dram = float(printed[0]), int(printed[1])
            row = {
                "engine": engine,
                "accesses": name,
                "cpu_per_s": ACCESSES / seconds,
                "dram_per_s": dram / seconds,
            }
            rows.append(row)
            print(f"| {engine} | {name} | {row['cpu_per_s'] / 1e6:.1f} | {row['dram_per_s'] / 1e6:.1f} |")
    (OUT / "models.json").write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
