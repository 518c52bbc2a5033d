"""Traces in many files, and files cut into sections: what workers measure side by side."""
