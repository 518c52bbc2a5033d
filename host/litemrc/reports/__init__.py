# SPDX-License-Identifier: BSD-2-Clause
"""Reports: self-contained HTML files."""

from litemrc.extras import require

require("plot")
