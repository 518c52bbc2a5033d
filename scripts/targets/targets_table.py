# SPDX-License-Identifier: BSD-2-Clause
"""The table of docs/targets.md from the rows of build/targets/summary.json."""

from pathlib import Path
from typing import Any

from scripts.docs.page_tables import fill_tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "targets.md"
HEADS = {
    "target": "---",
    "processor": "---",
    "bus": "---",
    "memory": "---",
    "data bus, bits": "--:",
    "peak, MB/s": "--:",
    "DRAM, MiB": "--:",
    "pages": "--:",
    "sampled": "---",
    "block RAMs": "--:",
    "window": "---",
    "tap checked": "---",
}


def is_right(row: dict[str, Any]) -> bool:
    """Whether a target elaborated with the frames of its DRAM, and its tap, if checked, has no difference."""
    return bool(row["elaborated"] and row["frames_right"] and row["tap_equal"] is not False)


def fill_page(rows: list[dict[str, Any]]) -> None:
    """Write the table into the page."""
    fill_tables(PAGE, {"targets": markdown_table(rows)})


def markdown_table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as Markdown."""
    lines = [list(HEADS), list(HEADS.values()), *map(_cells, rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _cells(row: dict[str, Any]) -> list[str]:
    if not row["elaborated"]:
        outcome = f"skipped: {row['tap_note']}" if row["elaborated"] is None else f"fails: {row['error']}"
        return [row["target"], row["cpu"] or "", *[""] * (len(HEADS) - 3), outcome.replace("|", "\\|")]
    return [
        row["target"],
        row["cpu"],
        row["bus"],
        f"{row['memory']} {row['ratio']}",
        str(row["data_bits"]),
        f"{row['peak_megabytes']:,}",
        f"{row['frames'] >> 8:,}",
        f"{row['pages']:,}",
        f"1 of {row['sampling']}" if row["sampling"] > 1 else "all",
        str(row["block_rams"]),
        row["window"],
        _tap(row).replace("|", "\\|"),
    ]


def _tap(row: dict[str, Any]) -> str:
    if row["tap_equal"]:
        return f"equal, {row['tap_accesses']:,} accesses"
    return f"{'not checked' if row['tap_equal'] is None else 'differs'}: {row['tap_note']}"
