# SPDX-License-Identifier: BSD-2-Clause
"""Several processes in one memory (Zhou et al. 2004, section 4)."""
