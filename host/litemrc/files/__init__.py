# SPDX-License-Identifier: BSD-2-Clause
"""Files on disk: written whole or not at all, sealed against damage, TOML checked key by key."""
