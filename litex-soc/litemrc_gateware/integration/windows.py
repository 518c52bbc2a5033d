# SPDX-License-Identifier: BSD-2-Clause
"""Addresses of the uncached windows, where the SoC's processor and its other regions leave room."""

from litex.soc.integration.soc import SoCRegion

# VexRiscv variants with an MMU cache all addresses but 0xB..., 0xE... and 0xF..., although LiteX declares the
# upper half of the address space uncached for each VexRiscv. So windows go here if the processor allows it.
UNCACHED_BY_ALL = range(0xB000_0000, 0xC000_0000)


def uncached_region(soc, size: int, wish: int, mode: str = "r") -> SoCRegion:
    """Return a region for a window: at `wish`, else behind it, else where the processor does not cache.

    LiteX's own search does not know of the registers, which get their region only at the end.

    Parameters
    ----------
    soc : litex.soc.integration.soc.SoC
    size : int
        bytes.
    wish : int
        an address in ``UNCACHED_BY_ALL``.

    Raises
    ------
    ValueError
        if the processor has no uncached room of that size.
    """
    regions = soc.bus.regions
    taken = [(region.origin, region.origin + region.size_pow2) for region in regions.values()]
    later = 4 << soc.csr.address_width  # bytes of the registers, and more than of LiteX's other peripherals
    taken += [(origin, origin + later) for name, origin in soc.mem_map.items() if name not in regions]
    step = 1 << (size - 1).bit_length()
    uncached = [(region.origin, region.origin + region.size) for region in soc.bus.io_regions.values()]
    for start, stop in ((wish, UNCACHED_BY_ALL.stop), *uncached):
        origin = _aligned(start, step)
        while origin + size <= stop:
            region = SoCRegion(origin=origin, size=size, mode=mode, cached=False)
            ends = [end for begin, end in taken if begin < origin + step and origin < end]
            if not ends and soc.bus.check_region_is_io(region):
                return region
            origin = _aligned(max(ends), step) if ends else stop
    raise ValueError(f"the processor has no room of {size} bytes that it does not cache: {uncached}")


def _aligned(address: int, step: int) -> int:
    return -(-address // step) * step
