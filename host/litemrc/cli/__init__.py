# SPDX-License-Identifier: BSD-2-Clause
"""The `litemrc` command: `main.py` and one module per subcommand."""
