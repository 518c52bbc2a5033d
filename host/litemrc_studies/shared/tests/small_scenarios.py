"""Scenarios that run in milliseconds, for tests of commands."""

MM = """\
title = "small"
memory_pages = 100
policies = ["global-clock", "equal"]
sample = 10_000
[costs]
time_slice = 10_000
page_read = 8_000
write_out = 1_500
[[process]]
name = "job"
kind = "batch"
trace = "gen:loop?pages=150"
touches = 500
touch = 10
"""
TRAYS = """\
title = "make"
workload = "compilation"
[machine]
trays = 4
tray_mib = 8
[compilation]
units = 3
header_pages = 100
heap_pages = 100
[[configuration]]
name = "default"
allocator = "buddy"
[[configuration]]
name = "colors"
"""
