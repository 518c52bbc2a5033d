"""Names of the protocol's schema that parsers need without loading it; a test compares them."""

EPOCH_UNITS = ("accesses", "cycles")
RANK_POLICIES = ("none", "static", "dynamic", "mrc")
POWER_STATES = ("awake", "power_down", "self_refresh", "self_refresh_partial")
PAGE_COUNTERS = ("delay", "update")
BUS_MASTERS = ("cpu", "remote", "traffic")
