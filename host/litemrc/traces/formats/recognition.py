# SPDX-License-Identifier: BSD-2-Clause
"""Recognises a text trace by its first lines, where its name does not state the format."""

import re

from litemrc.traces.formats.lines import BLOCK_BYTES
from litemrc.traces.formats.streams import ByteSource

_HEAD_BYTES = 16 << 10
_MOST_LINES = 20
_NUMBER = rb"(?:0[xX][0-9a-fA-F]{1,16}|\d{1,20})"
# For each format what its lines look like, the most peculiar ones first.
_LINES = {
    "lackey": re.compile(rb"(?:I  | [LSM] )[0-9a-f]{1,16},\d{1,4}|==\d+== Lackey.*"),
    "dynamorio": re.compile(rb"Format: <(?:instr|data) address>.*|.{0,200} byte\(s\) @ 0x[0-9a-f]{1,16}.*"),
    "damon": re.compile(
        rb"base_time_absolute:.*|.{0,200}: damon:damon_aggregated: .*|\[? *\{ *\"(?:kdamond|target).*"
    ),
    "intervals": re.compile(rb"\s*interval\s+\d{1,20}(?:\s+page_bytes\s+\d{1,20})?\s*"),
    "perf": re.compile(
        rb"(?:[^ ].{0,30})?[ \t]+\d{1,9}(?:/\d{1,9})?[ \t]+(?:\[\d{1,5}\][ \t]+)?\d{1,10}\.\d{6,9}: .*"
        rb"|# PID, TID, .*"
    ),
    # Not din's digits: "1 2" may be anything.
    "dinero": re.compile(rb"[rwimcv][ \t]+(?:0x)?[0-9a-f]{1,16}(?:[ \t].*)?"),
    "text": re.compile(rb"%b(?:[ \t]+%b[ \t]+[rRwW](?:[ \t]+%b)?)?" % (_NUMBER, _NUMBER, _NUMBER)),
}


def recognised(source: ByteSource) -> str | None:
    """Return the format whose lines a text begins with; None if there is none, or no line."""
    head = bytes(source.peek(BLOCK_BYTES)[:_HEAD_BYTES])
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")][:_MOST_LINES]
    comments = (b"#", b"==", b"--", b"**")
    for name, form in _LINES.items():
        if any(line.strip() and form.fullmatch(line) for line in lines):
            rest = [line for line in lines if line.strip() and not line.startswith(comments)]
            # A text of numbers is one only if every line is.
            if name not in ("text", "dinero") or all(
                form.fullmatch(line.strip()) for line in rest[:-1] or rest
            ):
                return name
    return None
