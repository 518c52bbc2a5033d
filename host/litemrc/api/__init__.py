# SPDX-License-Identifier: BSD-2-Clause
"""The functions of the public API; users import them from `litemrc`."""
