# SPDX-License-Identifier: BSD-2-Clause
"""Traces of several processors that share memory: `time processor page word r|w`."""

from litemrc.traces.shared.chunk import SharedChunk, SharedTrace
from litemrc.traces.shared.opening import create_shared_trace, open_shared_trace

__all__ = ["SharedChunk", "SharedTrace", "create_shared_trace", "open_shared_trace"]
