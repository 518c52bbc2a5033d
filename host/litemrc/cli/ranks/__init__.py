"""Commands about power domains."""
