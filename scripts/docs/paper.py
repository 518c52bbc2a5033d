# SPDX-License-Identifier: BSD-2-Clause
"""Builds the paper of docs/paper from the tables of docs/: `make paper` writes build/paper/paper.pdf."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import typst

from scripts.docs.page_tables import REPO
from scripts.docs.paper_figures import draw
from scripts.docs.paper_results import results

SOURCE, OUT = "docs/paper/paper.typ", "build/paper"  # results.typ and layout.typ read OUT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--png", action="store_true", help="also write each page as a picture")
    arguments = parser.parse_args()
    try:
        print(build(REPO))
        if arguments.png:
            compiler(REPO).compile(output=REPO / OUT / "page-{p}.png", format="png", ppi=150)
    except (typst.TypstError, ValueError) as error:
        print(f"{SOURCE}: {getattr(error, 'diagnostic', error)}", file=sys.stderr)
        return 1
    return 0


def build(root: Path) -> Path:
    """Write the paper of a repository and return its path.

    Raises
    ------
    typst.TypstError, ValueError
        a number or table that the paper needs is not in its page, or the source has an error.
    """
    draw(write_results(root), root / OUT)
    paper = root / OUT / "paper.pdf"
    compiler(root).compile(output=paper)
    return paper


def write_results(root: Path) -> dict[str, Any]:
    """Write what the pages say to where results.typ reads it, and return it."""
    found = results(root)
    (root / OUT).mkdir(parents=True, exist_ok=True)
    (root / OUT / "results.json").write_text(json.dumps(found), "utf-8")
    return found


def compiler(root: Path) -> typst.Compiler:
    """Return the compiler of the paper, with the fonts of its package only: the same on every machine."""
    return typst.Compiler(root / SOURCE, root=root, ignore_system_fonts=True)


if __name__ == "__main__":
    sys.exit(main())
