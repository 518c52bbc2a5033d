# SPDX-License-Identifier: BSD-2-Clause
"""A device's epochs, as they arrive."""
