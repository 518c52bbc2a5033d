# SPDX-License-Identifier: BSD-2-Clause
"""The terminal program `litemrc live`."""
