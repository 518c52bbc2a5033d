"""Tables and ratios for documentation pages."""

from collections.abc import Sequence


def percent(ratio: float) -> str:
    """A ratio as what is more or less."""
    text = f"{100 * (ratio - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
    return "0.0 %" if text[1:] == "0.0 %" else text


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; of more than two columns all but the first are numbers."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)] if len(heads) > 2 else ["---"] * 2, *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
