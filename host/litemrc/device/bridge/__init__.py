"""A monitor behind a bridge of LiteX: its registers answer the requests of the serial protocol."""

from litemrc.extras import require

require("device")
require("litex")
