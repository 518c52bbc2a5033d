# SPDX-License-Identifier: BSD-2-Clause
"""Page allocators and the banks that they leave unused (Panwar 2015)."""
