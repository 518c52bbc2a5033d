# SPDX-License-Identifier: BSD-2-Clause
"""Peak resident memory of this process, which can be reset on Linux."""

from pathlib import Path


def reset_peak() -> None:
    """Set the peak to the current resident size (proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_resident_bytes() -> int:
    """Return the peak in bytes since the start or the last reset."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no VmHWM")
