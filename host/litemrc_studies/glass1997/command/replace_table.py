"""The output of `litemrc replace`: tables, JSON or CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from litemrc.curves.sizes import size_text

from litemrc_studies.glass1997.machine.memories import FaultCount
from litemrc_studies.glass1997.machine.round_robin import GlobalResult
from litemrc_studies.glass1997.replaced import ReplaceResult


def local_table(replaced: ReplaceResult) -> str:
    """Return a line for each memory size with a column of faults for each policy."""
    result = replaced.replay
    pages = result.counts[0].cold_faults
    unit = "" if result.time_unit == "references" else f" in {result.duration:,} {result.time_unit}"
    lines = [
        f"{replaced.name}: {result.references:,} references{unit} to {pages:,} pages",
        f"page faults, including {pages:,} cold faults:",
    ]
    policies = list(dict.fromkeys(count.policy for count in result.counts))
    lines.append(f"{'pages':>10} {'memory':>10}" + "".join(f"{policy.name:>14}" for policy in policies))
    faults = {(count.policy, count.memory_pages): count.faults for count in result.counts}
    for size in dict.fromkeys(count.memory_pages for count in result.counts):
        counts = "".join(f"{faults[policy, size]:>14,}" for policy in policies)
        lines.append(f"{size:>10,} {size_text(size, replaced.page_bytes):>10}{counts}")
    lines += [_sequences_line(count) for count in result.counts if count.sequences]
    return "\n".join(lines)


def _sequences_line(count: FaultCount) -> str:
    assert count.sequences, "the policy is SEQ"
    did = count.sequences
    return (
        f"{count.policy.name} in {count.memory_pages:,} pages: {did.from_sequences:,} evictions from"
        f" sequences, {did.by_lru:,} by LRU; {did.sequences_made:,} sequences, at most"
        f" {did.sequences_most:,} at one time"
    )


def global_table(results: Sequence[GlobalResult], time_unit: str, page_bytes: int) -> str:
    """Return a line for each program under each policy and memory size, and a line for their total."""
    lines = [f"times in {time_unit}"]
    head = f"{'policy':>6} {'pages':>10} {'memory':>10} {'faults':>12} {'cold':>10}"
    lines.append(f"{head} {'end':>16} {'CPU time':>16}  trace")
    for result in results:
        memory = f"{result.memory_pages:>10,} {size_text(result.memory_pages, page_bytes):>10}"
        head = f"{result.policy.name:>6} {memory}"
        for program in result.programs:
            lines.append(
                f"{head} {program.faults:>12,} {program.cold_faults:>10,} {program.end:>16,}"
                f" {program.computed:>16,}  {program.trace}"
            )
        faults = f"{result.faults:>12,} {result.cold_faults:>10,}"
        lines.append(f"{head} {faults} {result.time:>16,} {result.computed:>16,}  total")
    return "\n".join(lines)


def global_rows(results: Sequence[GlobalResult], time_unit: str, page_bytes: int) -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each program under each policy and memory size."""
    for result in results:
        for program in result.programs:
            yield {
                "policy": result.policy.name,
                "memory_pages": result.memory_pages,
                "memory_bytes": result.memory_pages * page_bytes,
                **{field.name: getattr(program, field.name) for field in fields(program)},
                "time_unit": time_unit,
            }


def global_json(result: GlobalResult) -> dict[str, Any]:
    """Return what --json prints for one run of several programs."""
    return {
        "policy": result.policy.name,
        "memory_pages": result.memory_pages,
        "faults": result.faults,
        "cold_faults": result.cold_faults,
        "time": result.time,
        "programs": [
            {field.name: getattr(program, field.name) for field in fields(program)}
            for program in result.programs
        ],
    }
