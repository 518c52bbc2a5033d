# SPDX-License-Identifier: BSD-2-Clause
"""group_stack: the 2004 monitor's stack, exact at group resolution."""
