"""Memory sizes for people; everything else counts in pages."""

MIB = 1 << 20


def size_text(pages: int, page_bytes: int) -> str:
    """A memory size with its unit: "512 KiB", "1.5 MiB"."""
    size = pages * page_bytes
    return f"{size / MIB:.4g} MiB" if size >= MIB else f"{size / 1024:.4g} KiB"
