"""The host's numbers of states and counters are those of the gateware."""

import pytest
from litemrc.ranks import activity
from litemrc_gateware.ranks import registers


@pytest.mark.parametrize("name", ["PowerState", "MeterWord"])
def test_numbers_are_those_of_the_gateware(name):
    numbers = {word.name: word.value for word in getattr(activity, name)}
    assert numbers == {word.name: word.value for word in getattr(registers, name)}
