"""The budgets with which `litemrc govern` begins on Linux, by arithmetic."""

import pytest
from litemrc.cli.device.govern_cgroups import Cgroup
from litemrc.cli.device.govern_decisions import _first_budgets
from litemrc.device.contexts import Budget


@pytest.mark.parametrize(
    ("memory", "used", "most", "budgets"),
    [
        (1024, [5, 200], {}, [384, 512]),  # groups of 128 pages: 1 and 2 in use, 5 idle, 2 more each
        (1024, [5, 200], {2: 256}, [384, 256]),  # the cgroups above allow the second no more
        (512, [0, 0], {}, [256, 256]),
        (512, [300, 500], {}, [384, 512]),  # more than the memory: as they are, until the first decision
    ],
)
def test_idle_memory_is_divided_equally(memory, used, most, budgets):
    cgroups = {
        context: Cgroup(f"/{context}", 1.0, context, Budget(context, None, pages))
        for context, pages in enumerate(used, 1)
    }
    assert list(_first_budgets(cgroups, most, memory, 128).values()) == budgets
