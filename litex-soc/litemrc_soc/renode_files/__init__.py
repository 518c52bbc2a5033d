"""The texts that `renode_export.py` writes for Renode."""
