"""The streams of the units that an HLS compiler can make for the monitor."""

from litemrc_gateware.records import counted_layout, op_layout, position_layout

HLS_UNITS = ("group_stack", "bucket_stack", "hit_counters", "working_set")
AXIS_BITS = 8  # TDATA is padded to bytes


def streams_of(unit: str, frames: int, groups: int, contexts: int) -> tuple[dict, dict]:
    """Return the layouts of a unit's streams, into it and out of it, by the names of its arguments.

    :param unit: a name of ``HLS_UNITS``.
    """
    ops, positions = op_layout(frames, contexts), position_layout(groups, contexts)
    if unit in ("group_stack", "bucket_stack"):
        return {"ops": ops}, {"positions": positions}
    if unit == "working_set":
        return {"ops": ops}, {"first_touches": [("first_touch", 1)]}
    if unit == "hit_counters":
        return {"positions": counted_layout(groups, contexts)}, {"epochs": [("epoch", 32), ("overflow", 1)]}
    raise ValueError(f"no HLS unit {unit!r}; there are: {', '.join(HLS_UNITS)}")


def word_bits(layout: list[tuple[str, int]]) -> int:
    """The bits of a record on an AXI4 stream: whole bytes."""
    return -(-sum(width for _, width in layout) // AXIS_BITS) * AXIS_BITS


def port_widths(unit: str, frames: int, groups: int, contexts: int) -> dict[str, int]:
    """The widths in bits of a unit's data ports by their names, for ``exported_files``."""
    sinks, sources = streams_of(unit, frames, groups, contexts)
    return {f"{name}_TDATA": word_bits(layout) for name, layout in (sinks | sources).items()}
