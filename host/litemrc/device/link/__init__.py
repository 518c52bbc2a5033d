# SPDX-License-Identifier: BSD-2-Clause
"""The serial link: frames, the message schema and requests."""

from litemrc.extras import require

require("device")
