"""The `litemrc` command: `main.py` and one module per subcommand."""
