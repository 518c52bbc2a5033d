# SPDX-License-Identifier: BSD-2-Clause
"""Devices over HTTP."""

from litemrc.extras import require

require("serve")
