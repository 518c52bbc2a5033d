"""Linear axes of memory sizes: ticks at multiples of a power of two, with units."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator

from litemrc.curves.sizes import MIB, size_text

_MOST_STEPS = 6


def size_axis(axis: Axis) -> None:
    """Label an axis whose values are in MiB as sizes: 512 KiB, 3 MiB, 16 GiB."""
    axis.set_major_locator(_SizeLocator())
    axis.set_major_formatter(FuncFormatter(lambda mib, _: "0" if mib == 0 else size_text(mib * MIB, 1)))


class _SizeLocator(Locator):
    """Places ticks at multiples of the smallest power of two that needs at most `_MOST_STEPS` steps."""

    def __call__(self) -> Sequence[float]:
        assert self.axis is not None
        low, high = sorted(self.axis.get_view_interval())
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the ticks in a range of MiB."""
        if not vmax > vmin:
            return [vmin]
        step = 2.0 ** np.ceil(np.log2((vmax - vmin) / _MOST_STEPS))
        return [float(n * step) for n in range(int(np.ceil(vmin / step)), int(np.floor(vmax / step)) + 1)]
