# SPDX-License-Identifier: BSD-2-Clause
# redis: 50,000 keys with values of 1 KB are set, then read 100,000 times, both at random.
set -e
redis-server --save "" --daemonize yes >/dev/null
until redis-cli ping 2>/dev/null | grep -q PONG; do sleep 0.1; done
redis-benchmark -q -P 16 -d 1000 -r 50000 -n 50000 -t set >/dev/null
redis-benchmark -q -P 16 -d 1000 -r 50000 -n 100000 -t get >/dev/null
redis-cli info memory | grep used_memory_human
