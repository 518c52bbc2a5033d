# SPDX-License-Identifier: BSD-2-Clause
"""The monitor in a machine of QEMU, served as a device on a TCP port."""
