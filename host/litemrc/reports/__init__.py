"""Reports: self-contained HTML files."""

from litemrc.extras import require

require("plot")
