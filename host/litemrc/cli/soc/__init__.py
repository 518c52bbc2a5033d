# SPDX-License-Identifier: BSD-2-Clause
"""Commands that run the simulated SoC."""
