"""Options of device commands agree with the protocol."""

from litemrc.cli.shared.device_options import EPOCH_UNITS
from litemrc.device.link.protocol import host_requests


def test_the_units_of_an_epoch_are_those_of_the_protocol():
    (unit,) = (field for field in host_requests().types["set_epoch"].body if field.choices)
    assert tuple(name for name, _ in unit.choices) == EPOCH_UNITS
