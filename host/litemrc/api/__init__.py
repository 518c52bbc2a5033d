"""The functions of the public API; users import them from `litemrc`."""
