# SPDX-License-Identifier: BSD-2-Clause
"""The MRC monitor: intake, registers, window."""
