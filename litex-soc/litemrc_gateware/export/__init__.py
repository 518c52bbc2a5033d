# SPDX-License-Identifier: BSD-2-Clause
"""The register map, exported: C header, documentation, and JSON for the host."""
