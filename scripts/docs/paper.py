# SPDX-License-Identifier: BSD-2-Clause
"""Builds the paper of docs/paper from the tables of docs/: `make paper` writes build/paper/paper.pdf.

    python -m scripts.docs.paper [--png]
"""

import argparse
import json
import sys

import typst

from scripts.docs.page_tables import REPO
from scripts.docs.paper_figures import draw
from scripts.docs.paper_results import results

SOURCE = REPO / "docs/paper/paper.typ"
OUT = REPO / "build/paper"  # results.typ and layout.typ read it


def prepare() -> None:
    """Write what the source reads: the results as JSON, and the figures."""
    OUT.mkdir(parents=True, exist_ok=True)
    found = results()
    (OUT / "results.json").write_text(json.dumps(found), "utf-8")
    draw(found, OUT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--png", action="store_true", help="also write each page as a picture")
    arguments = parser.parse_args()
    prepare()
    options = {"root": str(REPO), "ignore_system_fonts": True}  # the same fonts everywhere: those in the package
    try:
        typst.compile(str(SOURCE), output=str(OUT / "paper.pdf"), **options)
    except typst.TypstError as error:
        print(f"{error.message}\n{error.diagnostic}", file=sys.stderr)
        return 1
    if arguments.png:
        typst.compile(str(SOURCE), output=str(OUT / "page-{p}.png"), ppi=150, **options)
    print(OUT / "paper.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
