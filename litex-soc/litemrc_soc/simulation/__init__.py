# SPDX-License-Identifier: BSD-2-Clause
"""The modules with which `sim.py` builds and runs the SoC in Verilator."""
