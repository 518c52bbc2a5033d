# SPDX-License-Identifier: BSD-2-Clause
"""Write the API pages of docs/reference/ from the docstrings: `python -m scripts.docs.api_pages`.

The pages are plain Markdown, so that a forge shows what the site shows. Each block begins with a comment that
names its objects, and ends with another one; what is between them is written anew.
"""

import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence, Set
from importlib import import_module
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
PAGES = ("docs/reference/host.md", "docs/reference/gateware.md")
_BLOCK = re.compile(r"(<!-- api: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_WIDTH = 140
# A title of a section, as Google writes it, or as NumPy does.
_TITLE = re.compile(r"^(?:([A-Z][a-z]+):|([A-Z][a-z]+)\n-+)$", re.MULTILINE)
_ENTRY = re.compile(r"^([\w, *]+?)(?::| :) (.*)", re.DOTALL)


def filled(page: str) -> str:
    """Return a page with its blocks written anew."""
    return _BLOCK.sub(
        lambda block: block[1] + "\n" + "\n".join(_described(block[2].split())) + block[3], page
    )


def _described(paths: Sequence[str]) -> Iterator[str]:
    found = {path: getattr(import_module(path.rpartition(".")[0]), path.rpartition(".")[2]) for path in paths}
    return (described(path, value, set(found.values())) for path, value in found.items())


def described(path: str, found: Any, others: Set[Any]) -> str:
    """Return the Markdown of a function, or of a class with its public members.

    Parameters
    ----------
    others
        objects of the same block: what a class inherits from one of them is described there.
    """
    module, _, name = path.rpartition(".")
    shown = path if module in ("litemrc", "litemrc_gateware", "litemrc_studies") else name
    if not inspect.isclass(found):
        return entry(shown, found, 3)
    is_error = issubclass(found, Exception)
    members = [] if is_error else _members(found, others)
    parts = [entry(f"{name}.{member}", value, 4) for member, value in members]
    return "\n".join([entry(shown, found, 3, signature=not is_error), *parts])


def _members(found: type, others: Set[Any]) -> Iterator[tuple[str, Any]]:
    ours = [base for base in reversed(found.__mro__) if base.__module__.startswith("litemrc")]
    listed = [base for base in ours if base is found or base not in others]
    values = {name: value for base in listed for name, value in vars(base).items()}
    for name, value in values.items():
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
            yield name, value


def entry(name: str, found: Any, level: int, *, signature: bool = True) -> str:
    """Return the heading, the signature and the description of one object."""
    lines = [f"{'#' * level} `{name}`", ""]
    if signature and not isinstance(found, property):
        lines += ["```text", _signature(name.rpartition(".")[2], found), "```", ""]
    return "\n".join([*lines, markdown(inspect.getdoc(found) or ""), ""])


def _signature(name: str, found: Any) -> str:
    signature = inspect.signature(found)
    shown = [
        parameter.replace(annotation=parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    plain = str(signature.replace(parameters=shown, return_annotation=signature.empty))
    call = f"{name}{plain}"
    if len(call) <= 100:
        return call
    arguments = textwrap.fill(plain[1:-1], 100, initial_indent="    ", subsequent_indent="    ")
    return f"{name}(\n{arguments}\n)"


def markdown(text: str) -> str:
    """Return a docstring as Markdown: sections become lists."""
    text = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", text).replace("``", "`")
    first, *parts = _sections(text)
    lines = [_paragraphs(first[1])] if first[1] else []
    for title, body in parts:
        lines += ["", f"**{title}**", "", *_entries(body)]
    return "\n".join(lines)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text before the first section, and each section with its title."""
    titles = [
        match for match in _TITLE.finditer(text) if match[2] or text[match.end() :].startswith(("\n    ",))
    ]
    ends = [match.start() for match in titles[1:]] + [len(text)]
    yield "", text[: titles[0].start()].strip() if titles else text.strip()
    for match, end in zip(titles, ends, strict=False):
        yield match[1] or match[2], textwrap.dedent(text[match.end() : end].strip("\n")).strip()


def _entries(body: str) -> Iterator[str]:
    """Yield an item for each entry: a line that is not indented, with the indented ones below it."""
    for block in re.split(r"\n(?=\S)", body):
        head, *more = block.split("\n")
        rest = " ".join(line.strip() for line in more if line.strip())
        match = _ENTRY.match(head)
        if match and " : " in head:  # NumPy's: name : type, then the description
            text = f"`{match[1]}`: {match[2]}" + (f"; {rest}" if rest else "")
        elif match:
            text = f"`{match[1]}`: {match[2]} {rest}".rstrip()
        else:
            text = f"`{head}`" + (f": {rest}" if rest else "")
        yield textwrap.fill(text, _WIDTH, initial_indent="- ", subsequent_indent="  ", **_WHOLE)


def _paragraphs(text: str) -> str:
    """Return paragraphs filled to the width of pages; indented ones are code."""
    done = []
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("    "):
            done.append(f"```\n{textwrap.dedent(paragraph)}\n```")
        else:
            done.append(textwrap.fill(" ".join(paragraph.split()), _WIDTH, **_WHOLE))
    return "\n\n".join(done)


_WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def main() -> None:
    """Write the pages."""
    for name in PAGES:
        page = REPO / name
        page.write_text(filled(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
