# SPDX-License-Identifier: BSD-2-Clause
"""Which pages were accessed, epoch by epoch."""
