# SPDX-License-Identifier: BSD-2-Clause
"""libCacheSim's oracleGeneral."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target("t.oracleGeneral", bytes(24), bytes(48))
