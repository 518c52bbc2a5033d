# SPDX-License-Identifier: BSD-2-Clause
"""What several commands share: arguments, text tables, progress, a simulator's console."""
