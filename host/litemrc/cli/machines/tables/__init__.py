"""What the machine commands print: tables, and the objects of `--json`."""
