# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace ...`: one module a command."""
