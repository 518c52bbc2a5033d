"""Addresses of the uncached windows, where the SoC's processor and its other regions leave room."""

from litex.soc.integration.soc import SoCRegion

# VexRiscv variants with an MMU cache all addresses but 0xB..., 0xE... and 0xF..., although LiteX declares the
# upper half of the address space uncached for each VexRiscv. So windows go here if the processor allows it.
UNCACHED_BY_ALL = range(0xB000_0000, 0xC000_0000)


def uncached_region(bus, size: int, wish: int, mode: str = "r") -> SoCRegion:
    """Return a region for a window: at `wish`, else behind it, else where LiteX finds room.

    Parameters
    ----------
    bus : litex.soc.integration.soc.SoCBusHandler
    size : int
        bytes.
    wish : int
        an address in ``UNCACHED_BY_ALL``.
    """
    aligned = 1 << (size - 1).bit_length()
    for origin in range(-(-wish // aligned) * aligned, UNCACHED_BY_ALL.stop, aligned):
        region = SoCRegion(origin=origin, size=size, mode=mode, cached=False)
        if not bus.check_region_is_io(region):
            break
        others = {name: other for name, other in bus.regions.items() if other.origin is not None}
        if not any(bus.check_regions_overlap({"": region, name: other}) for name, other in others.items()):
            return region
    return SoCRegion(size=size, mode=mode, cached=False)
