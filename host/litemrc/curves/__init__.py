# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves: arithmetic on hit counters, files of curves, comparison."""
