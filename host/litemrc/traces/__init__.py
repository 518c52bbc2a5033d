# SPDX-License-Identifier: BSD-2-Clause
"""Page reference traces from files, generators and captures, read as chunks of arrays.

with open_trace("app.oracleGeneral.zst") as trace:
    for chunk in trace:
        chunk.pages
"""

from litemrc.traces.chunk import Chunk
from litemrc.traces.opening import Trace, open_trace

__all__ = ["Chunk", "Trace", "open_trace"]
