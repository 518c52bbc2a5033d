# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace info TRACE`: the contents of a trace; Ctrl-C shows the counts so far."""

import argparse
import json
from contextlib import closing
from typing import Any

from litemrc.api.writing import INTERVALS
from litemrc.cli.shared.plain_text import text_facts
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import add_input_arguments, opened
from litemrc.curves.sizes import size_text
from litemrc.traces import Trace
from litemrc.traces.summary import Summary


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace info`."""
    add_input_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace info`."""
    summary = Summary()
    stopped: KeyboardInterrupt | None = None
    with opened(args) as trace:
        try:
            with closing(shown(trace, "counting")) as chunks:
                for chunk in chunks:
                    summary.add(chunk)
        except KeyboardInterrupt as error:
            stopped = error
        facts = facts_of(trace, summary, complete=stopped is None)
    if trace.format == INTERVALS and not stopped:
        from litemrc.traces.formats.interval_records import smallest_opt_memory  # pyarrow takes long to load

        facts["minimum_pages_opt"] = smallest_opt_memory(args.trace)
    if args.json:
        print(json.dumps(facts))
    else:
        print(_text(facts))
    if stopped:
        raise stopped
    return 0


def facts_of(trace: Trace, summary: Summary, *, complete: bool) -> dict[str, Any]:
    """Return what --json prints; null if the trace lacks the information."""
    pages = summary.pages.numbers()
    return {
        "trace": trace.name,
        "format": trace.format,
        "complete": complete,
        "references": summary.references,
        "page_bytes": trace.page_bytes,
        "pages": int(pages.size),
        "lowest_page": int(pages[0]) if pages.size else None,
        "highest_page": int(pages[-1]) if pages.size else None,
        "writes": summary.writes,
        "first_time": summary.first_time,
        "last_time": summary.last_time,
        "time_unit": trace.time_unit,
        "contexts": {str(context): count for context, count in sorted(summary.contexts.items())},
        "minimum_pages": trace.minimum_pages,
        "minimum_pages_opt": 1 if complete else None,
        "origin": trace.origin,
        "notes": trace.notes,
    }


def _text(facts: dict[str, Any]) -> str:
    rows = {"trace": facts["trace"], "format": facts["format"]}
    so_far = "" if facts["complete"] else " (interrupted)"
    rows["references"] = f"{facts['references']:,}{so_far}"
    rows["pages"] = f"{facts['pages']:,} ({size_text(facts['pages'], facts['page_bytes'])})"
    rows["page size"] = f"{facts['page_bytes']:,} bytes"
    if facts["pages"]:
        rows["page numbers"] = f"{facts['lowest_page']:,} to {facts['highest_page']:,}"
    if facts["writes"] is not None:
        share = facts["writes"] / max(facts["references"], 1)
        rows["writes"] = f"{facts['writes']:,} ({share:.1%})"
    if facts["first_time"] is not None:
        unit = facts["time_unit"]
        rows["time"] = f"{facts['first_time']:,} to {facts['last_time']:,} {unit}".rstrip()
    if facts["contexts"]:
        rows["contexts"] = ", ".join(f"{name}: {count:,}" for name, count in facts["contexts"].items())
    if facts["format"] == INTERVALS and facts["complete"]:
        rows["exact from"] = f"{facts['minimum_pages']:,} pages (LRU), {facts['minimum_pages_opt']:,} (OPT)"
    if facts["origin"]:
        rows["origin"] = facts["origin"]
    rows |= {"note" + " " * index: note for index, note in enumerate(facts["notes"])}
    return text_facts(rows)
