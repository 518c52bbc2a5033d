# SPDX-License-Identifier: BSD-2-Clause
"""bucket_stack: one operation a cycle, 10 bits a page."""
