"""Options of `litemrc simulate placement`."""

from litemrc_studies.panwar2015.command.placement import footprint


def test_a_footprint_is_given_in_percent():
    shares = footprint("20:40:90")
    assert (shares.low, shares.mean, shares.high) == (0.2, 0.4, 0.9)
