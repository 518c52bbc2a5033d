# SPDX-License-Identifier: BSD-2-Clause
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
PAIR = """\
title = "small"
memory_pages = 100
policies = ["global-clock", "mrc"]
sample = 10_000
[costs]
time_slice = 10_000
page_read = 8_000
write_out = 1_500
[mrc]
minimum_pages = 5
group_pages = 4
delta_pages = 4
[[process]]
name = "ask"
kind = "interactive"
trace = "gen:zipf?pages=120&alpha=0.7"
touches = 40
touch = 10
sleep = 100_000
[[process]]
name = "job"
kind = "batch"
trace = "gen:loop?pages=150"
touches = 3000
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
