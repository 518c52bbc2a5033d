# SPDX-License-Identifier: BSD-2-Clause
"""Reference models, one per unit: plain Python, slow and obvious. Other forms are held equal to them."""
