# SPDX-License-Identifier: BSD-2-Clause
"""Units as an HLS compiler made them from hls/, behind the ports of those in Migen."""
