"""Devices over HTTP."""

from litemrc.extras import require

require("serve")
