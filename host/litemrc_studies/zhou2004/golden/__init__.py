# SPDX-License-Identifier: BSD-2-Clause
"""Reference models of the trace-driven machines."""
