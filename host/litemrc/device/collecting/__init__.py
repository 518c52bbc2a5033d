# SPDX-License-Identifier: BSD-2-Clause
"""Collection of epochs from a device, and what was lost on the way."""
