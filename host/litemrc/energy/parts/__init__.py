# SPDX-License-Identifier: BSD-2-Clause
"""Currents and powers of DRAM parts: `part.py` what a part is, `files.py` the TOML files beside it."""
