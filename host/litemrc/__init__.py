"""LiteMRC host package: collect, check and draw page miss ratio curves."""
