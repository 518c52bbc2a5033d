# SPDX-License-Identifier: BSD-2-Clause
"""Trace formats, one module each, and the streams they are read from."""
