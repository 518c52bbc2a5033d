# SPDX-License-Identifier: BSD-2-Clause
"""libCacheSim's vscsi, both versions."""

import struct

from tests.fuzz.trace_files import trace_target

TARGET = trace_target(
    "t.vscsi",
    struct.pack("<IIIHHQQ", 0, 512, 1, 0x28, 0x100, 77, 1000) * 2,
    struct.pack("<HHIIIQQQ", 0x2A, 0x200, 0, 512, 1, 5, 5, 1) * 2,
)
