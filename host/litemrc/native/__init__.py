# SPDX-License-Identifier: BSD-2-Clause
"""The native core: engines in C++ that compute miss-ratio curves of page traces, and simulators."""
