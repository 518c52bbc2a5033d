# SPDX-License-Identifier: BSD-2-Clause
"""Texts that others wrote (a device, a file), made safe for a terminal, a spreadsheet and a picture."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def printable(text: str) -> str:
    """Return a text with "?" for each character that is not shown as itself.

    These are the controls of terminals (C0 and C1), new lines, and marks that turn the direction of writing.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def printable_lines(text: str) -> str:
    """Return as `printable`, of each line."""
    return "\n".join(map(printable, text.split("\n")))


def spreadsheet_text(text: str) -> str:
    """Return a text for a cell of CSV: with "'" in front of what a spreadsheet would compute as a formula."""
    if text.lstrip(" ").startswith(_FORMULA) and not _is_number(text):
        text = f"'{text}"
    return printable(text)


def picture_text(text: str) -> str:
    """Return a text for a picture: matplotlib would read what is between dollar signs as a formula."""
    return printable(text).replace("$", r"\$")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()
