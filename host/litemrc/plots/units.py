"""Units of axes, chosen by the largest value."""

from litemrc.curves.sizes import MIB

_GIB = 1 << 30


def memory_unit(most_bytes: float) -> tuple[str, int]:
    """Return the unit of a memory axis that reaches to `most_bytes`, and its bytes."""
    return ("GiB", _GIB) if most_bytes >= 2 * _GIB else ("MiB", MIB)
