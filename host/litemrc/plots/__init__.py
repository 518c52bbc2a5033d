# SPDX-License-Identifier: BSD-2-Clause
"""Figures, drawn with matplotlib; imported only when a figure is drawn."""

from litemrc.extras import require

require("plot")
