# SPDX-License-Identifier: BSD-2-Clause
"""Commands about miss-ratio curves."""
