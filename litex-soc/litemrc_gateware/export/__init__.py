"""The register map, exported: C header and documentation."""
