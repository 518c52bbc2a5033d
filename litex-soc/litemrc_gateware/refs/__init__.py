# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters, and the masters that they distinguish."""
