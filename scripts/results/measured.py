"""Copies values of the papers' pages into docs/results/measured.md, where they are named PAGE/NAME."""

from pathlib import Path

from page_tables import fill_values, page_parser, values_of


def main() -> None:
    docs = page_parser(__doc__).parse_args().docs
    fill_values(docs / "measured.md", quoted(docs))


def quoted(docs: Path) -> dict[str, str]:
    """Return the text of each value that measured.md quotes, by its name there.

    :param docs: folder of the pages.
    :raises KeyError: if a page has no such value.
    """
    names = values_of(docs / "measured.md")
    pages = {page: values_of(docs / f"{page}.md") for page in {name.split("/")[0] for name in names}}
    return {name: pages[name.split("/")[0]][name.split("/")[1]] for name in names}


if __name__ == "__main__":
    main()
