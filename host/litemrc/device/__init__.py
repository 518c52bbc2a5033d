# SPDX-License-Identifier: BSD-2-Clause
"""The device side of the host package: the serial link, its messages, and the collection of epochs."""

TIMEOUT_S = 10.0  # to wait for an answer; here for parsers, which load no link
