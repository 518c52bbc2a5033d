# SPDX-License-Identifier: BSD-2-Clause
"""Programs in QEMU, observed by the plugin of `native/qemu`."""
