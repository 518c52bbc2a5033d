"""`litemrc trace ...`: one module a command."""
