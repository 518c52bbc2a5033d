# SPDX-License-Identifier: BSD-2-Clause
"""Copies values of the papers' pages into docs/results/measured.md, where they are named PAGE/NAME."""

from scripts.docs.page_tables import REPO, STUDIES, fill_values, values_of

PAGE = REPO / "docs/results/measured.md"


def main() -> None:
    fill_values(PAGE, quoted())


def quoted() -> dict[str, str]:
    """Return the text of each value that measured.md quotes, by its name there: PAPER/NAME.

    Raises
    ------
    KeyError
        if a page has no such value.
    """
    names = values_of(PAGE)
    papers = {name.split("/")[0] for name in names}
    pages = {paper: values_of(STUDIES / paper / "page.md") for paper in papers}
    return {name: pages[name.split("/")[0]][name.split("/")[1]] for name in names}


if __name__ == "__main__":
    main()
