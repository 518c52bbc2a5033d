# SPDX-License-Identifier: BSD-2-Clause
"""Colors, intents, trays and memnice (Jantz et al. 2013), and placement by curves."""
