# SPDX-License-Identifier: BSD-2-Clause
"""Traces under page-replacement policies (Glass and Cao 1997)."""
