# SPDX-License-Identifier: BSD-2-Clause
# sort: 100,000 numbers are sorted as text, from the last to the first.
set -e
seq 100000 | sort -r | head -n 1
