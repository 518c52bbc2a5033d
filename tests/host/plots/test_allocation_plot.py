"""The picture of a division of memory: whole, and true for a process without memory."""

import pytest
from litemrc.curves.curve import Curve
from litemrc.plots.mrc import allocation_figure
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import allocate

from tests.host.plots.axes import assert_sound

LOOP = Curve([3], [0.1], 100, 10, name="loop")
ZIPF = Curve([1, 2, 3, 4], [0.6, 0.4, 0.3, 0.25], 400, 100, name="zipf")


@pytest.mark.parametrize(("memory", "loop"), [(1, "0 B"), (5, "12 KiB"), (4096, "12 KiB")])
def test_the_picture_is_whole(memory, loop):
    demands = [Demand(c.name, c.sizes_pages, c.miss_ratio, c.accesses) for c in (LOOP, ZIPF)]
    figure = allocation_figure([LOOP, ZIPF], allocate(demands, memory, delta_pages=1))
    assert_sound(figure)
    assert figure.legends[0].get_texts()[0].get_text() == f"loop: {loop}"
