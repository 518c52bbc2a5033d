# SPDX-License-Identifier: BSD-2-Clause
"""Small machines that the tests of trays share."""

from litemrc.energy.parts.files import find_part
from litemrc_studies.jantz2013.machine.hardware import Controller, Hardware

TRAY_PAGES = 1024


def small(**changes) -> Hardware:
    """Four ranks of 4 MiB."""
    given = {"trays": 4, "tray_pages": TRAY_PAGES, "sample_ns": 1e6, "controller": Controller()} | changes
    return Hardware(find_part("MT41J256M8-187E:D"), **given)
