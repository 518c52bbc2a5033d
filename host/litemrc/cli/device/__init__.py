# SPDX-License-Identifier: BSD-2-Clause
"""Commands that talk to a device."""
