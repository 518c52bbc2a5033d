"""Memory sizes for people; everything else counts in pages."""

MIB = 1 << 20


def size_text(pages: float, page_bytes: int, digits: int = 4) -> str:
    """A memory size with its unit, to so many digits: "512 KiB", "1.5 MiB"."""
    size = pages * page_bytes
    return f"{size / MIB:.{digits}g} MiB" if size >= MIB else f"{size / 1024:.{digits}g} KiB"
