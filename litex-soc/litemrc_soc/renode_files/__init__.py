# SPDX-License-Identifier: BSD-2-Clause
"""The texts that `renode_export.py` writes for Renode."""
