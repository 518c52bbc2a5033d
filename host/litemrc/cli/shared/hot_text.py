"""The hot pages of an epoch as a line of text."""

from collections.abc import Sequence

_SHOWN = 8  # pages of an epoch in a line
HEADER = f"{'epoch':>5} {'accesses':>12} {'hot pages':>10} {'share':>7}   page:count, largest first"


def hot_line(
    head: str, accesses: int, pages: Sequence[int], counts: Sequence[int], *, more: bool, saturated: bool
) -> str:
    """Return the line.

    Parameters:
        head: the first two columns of `HEADER`.
    """
    count = f"{len(pages):,}{'+' if more else ''}"
    share = sum(counts) / accesses if accesses else 0.0
    pairs = zip(pages[:_SHOWN], counts[:_SHOWN], strict=True)
    listed = " ".join(f"{page}:{count}" for page, count in pairs) or "none is hot"
    dots = " ..." if len(pages) > _SHOWN else ""
    return f"{head} {count:>10} {share:>7.1%}   {listed}{dots}{' (saturated)' if saturated else ''}"
