# SPDX-License-Identifier: BSD-2-Clause
"""The link of a device for other programs, over a WebSocket."""
