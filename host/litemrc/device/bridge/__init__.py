# SPDX-License-Identifier: BSD-2-Clause
"""A monitor whose registers the host reads: it answers the requests of the serial protocol by them."""

from litemrc.extras import require

require("device")
