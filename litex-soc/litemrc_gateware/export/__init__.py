"""The register map, exported: C header, documentation, and JSON for the host."""
