# SPDX-License-Identifier: BSD-2-Clause
"""Writes what a demo prints and draws into the pages that show it: `make results-demo`.

    python -m scripts.docs.demo_pages litemrc demo soc --sim build/sim ... --out build/demo

Counters depend on gateware and firmware alone, so a test compares the pages of `make demo` with a run.
"""

import argparse
import re
import shutil
import subprocess
from pathlib import Path

from litemrc.epochs.files import read_epochs
from litemrc.plots.curves import curves_figure
from litemrc.plots.files import save_figure

from scripts.docs.page_tables import fill_tables

REPO = Path(__file__).parents[2]
DOCS = REPO / "docs"
PAGES = {
    "soc": REPO / "README.md",
    "soc-accuracy": DOCS / "tutorial" / "simulated-board.md",
    "ranks": DOCS / "ranks.md",
    "linux": DOCS / "linux.md",
    "linux-smp": DOCS / "smp.md",
    "linux-rocket": DOCS / "linux.md",
}
CHECKS = ("tap:", "account:", "DRAM commands:", "page bitmap:", "hot pages:", "golden model:", "report:")
MORE_CHECKS = (*CHECKS[:-1], "contexts:", "ownership:", "page tables:", "ranks:", "DRAM:")
PIXELS = (900, 1336)  # of the report's picture


def blocks(output: str, out: Path) -> dict[str, str]:
    """Return the parts of the demo's output that pages quote, by name.

    Parameters
    ----------
    output
        of `litemrc demo soc --out OUT`.
    out
        that folder; pages have the one of `make demo`.
    """
    text = output.replace(f"{out}", "build/demo")
    head, compared = re.split(r"(?=^compared with exact LRU stacks)", text, maxsplit=1, flags=re.MULTILINE)
    table = head[re.search(r"^ +MR at", head, re.MULTILINE).start() :].rstrip()
    checks = [line for line in text.splitlines() if line.startswith(CHECKS)]
    return {
        "soc": "\n".join([table, "...", *checks]),
        "soc-accuracy": compared.split("\n\n", 1)[0].rstrip(),
    }


def table_and_checks(output: str, begin: str, end: str) -> str:
    """Return what the pages of the other demos quote: a table between two texts, and what was verified."""
    first = re.search(begin, output, re.MULTILINE).start()
    table = output[first : re.compile(end, re.MULTILINE).search(output, first).start()].rstrip()
    lines = output.splitlines()
    (cycles,) = (line for line in lines if " cycles simulated in " in line)
    checks = [line for line in lines[lines.index(cycles) :] if line.startswith(MORE_CHECKS)]
    return "\n".join([table, "", cycles, *checks])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, help="that runs the demo; it ends with --out")
    command = parser.parse_args().command
    out = Path(command[command.index("--out") + 1])
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    demo = command[2]
    curves = curves_figure(read_epochs(out / "curves.parquet"))
    if demo == "soc":
        parts = blocks(output, out)
        picture(out / "report.html", DOCS / "report.png")
        save_figure(curves, DOCS / "curves.svg")
    elif demo == "ranks":
        parts = {demo: table_and_checks(output, r"^ +active precharge", r"^report:")}
        plot = ["--plot", str(DOCS / "ranks.svg")]
        subprocess.run(["litemrc", "energy", str(out / "ranks.parquet"), *plot], check=True)
    else:
        name = out.name.removesuffix("-demo")
        parts = {name: table_and_checks(output, r"^ +MR at", r"^MR:")}
        if name == demo:
            save_figure(curves, DOCS / "linux-curves.svg")
    for name, block in parts.items():
        fill_tables(PAGES[name], {name: f"```\n{block}\n```"})


def picture(page: Path, path: Path) -> None:
    """Draw a page with Debian's chromium."""
    browser = shutil.which("chromium") or "chromium"
    size = ",".join(map(str, PIXELS))
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size}"]
    subprocess.run(
        [browser, *options, f"--screenshot={path}", page.resolve().as_uri()], check=True, capture_output=True
    )


if __name__ == "__main__":
    main()
