"""The C library's allocator in the workers of a cluster."""

import ctypes
from contextlib import suppress

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_TRIM_BYTES, _MMAP_BYTES = 256 << 20, 32 << 20


def keep_freed_chunks() -> None:
    """Reuse the memory of one chunk for the next one, in this process.

    Dask starts workers with MALLOC_TRIM_THRESHOLD_=65536: each chunk of references is returned to the
    operating system and faulted in again, page by page, which doubled the time of a part. Another C library
    than glibc is left as it is.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)
        library.mallopt(_M_MMAP_THRESHOLD, _MMAP_BYTES)
