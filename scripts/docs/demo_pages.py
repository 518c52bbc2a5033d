"""Writes what `make demo` prints and draws into the README and the tutorial: `make results-demo`.

Counters depend on the gateware and the firmware alone, so a test compares the pages with a run of the demo.
"""

import argparse
import re
import shutil
import subprocess
from pathlib import Path

from litemrc.epochs.files import read_epochs
from litemrc.plots.curves import curves_figure
from litemrc.plots.files import save_figure
from page_tables import fill_tables

REPO = Path(__file__).parents[2]
PAGES = {"demo": REPO / "README.md", "demo-accuracy": REPO / "docs" / "tutorial" / "simulated-board.md"}
CHECKS = ("tap:", "account:", "page bitmap:", "hot pages:", "golden model:", "report:")
PIXELS = (900, 1336)  # of the report's picture


def blocks(output: str, out: Path) -> dict[str, str]:
    """Return the parts of the demo's output that pages quote, by name.

    Parameters:
        output: of `litemrc demo --out OUT`.
        out: that folder; pages have the one of `make demo`.
    """
    text = output.replace(f"{out}", "build/demo")
    head, compared = re.split(r"(?=^compared with exact LRU stacks)", text, maxsplit=1, flags=re.MULTILINE)
    table = head[re.search(r"^ +MR at", head, re.MULTILINE).start() :].rstrip()
    checks = [line for line in text.splitlines() if line.startswith(CHECKS)]
    return {
        "demo": "\n".join([table, "...", *checks]),
        "demo-accuracy": compared.split("\n\n", 1)[0].rstrip(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--sim", type=Path, default=Path("build/sim"))
    parser.add_argument("--firmware", type=Path, default=Path("build/firmware/firmware.bin"))
    parser.add_argument("--out", type=Path, default=Path("build/demo"))
    args = parser.parse_args()
    command = ["litemrc", "demo", "--sim", args.sim, "--firmware", args.firmware, "--out", args.out]
    output = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout
    for name, block in blocks(output, args.out).items():
        fill_tables(PAGES[name], {name: f"```\n{block}\n```"})
    save_figure(curves_figure(read_epochs(args.out / "curves.parquet")), REPO / "docs" / "curves.svg")
    picture(args.out / "report.html", REPO / "docs" / "report.png")


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
